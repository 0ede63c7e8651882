/** Which field the name of a column means. */
import { foldName } from './column-names.ts';
import { fieldNames, type Field } from './fields.ts';

/** Other names of fields, folded with `foldName`, the usual ones first. */
export const synonyms = byName({
  uuid: 'id guid customerid customeruuid',
  full_name:
    'name fullname customer customername displayname contactname kunde nome nombre naam nomecompleto nombrecompleto nomcomplet',
  first_name: 'firstname givenname forename fname vorname prenom primonome primernombre voornaam',
  last_name:
    'lastname surname familyname lname nachname familienname nom nomdefamille cognome apellido apellidos primerapellido sobrenome apelido achternaam',
  email_address:
    'email mail emailaddress emailadresse emailid courriel adressedemessagerie adresseemail correo correoelectronico direcciondecorreoelectronico indirizzoemail indirizzopostaelettronica',
  phone_number: 'phone phoneno telephone tel telefon telefonnummer telefono',
  company_name:
    'company organisation organization firma employer business societe societa empresa organizacion accountname businessname',
  is_verified: 'verified emailverified verifiedemail',
  total_orders: 'orders ordercount orderscount numberoforders paymentcount',
  lifetime_value_cents: 'ltvcents valuecents',
  lifetime_value: 'ltv totalspent totalspend revenue totalrevenue',
  last_order_at: 'lastorder lastorderdate lastorderedat lastpurchase',
  created_at:
    'created createddate createdate creationdate createdon createdutc signupdate signedup registeredat customersince',
  updated_at:
    'updated updateddate updatedon modified modifiedat lastmodified lastmodifieddate lastupdated',
  currency: 'wahrung',
});
/** Used only if there is nothing better. */
export const substitutes = byName({
  phone_number: 'mobile mobilephone mobilephonenumber cell handy',
});

function byName(names: Partial<Record<Field, string>>): Map<string, Field> {
  const fields = Object.entries(names) as [Field, string][];
  return new Map(fields.flatMap(([field, list]) => list.split(' ').map((name) => [name, field])));
}

export const exact = new Map(fieldNames.map((field) => [foldName(field), field]));

export function fieldOf(name: string): Field | undefined {
  const folded = foldName(name);
  return exact.get(folded) ?? synonyms.get(folded);
}
