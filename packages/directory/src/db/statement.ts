/** What is run on a connection. */

/** Each connection prepares a statement once, under its name. */
export interface Statement {
  name: string;
  text: string;
}

export type RunStatement = <Row extends object>(of: Statement, values: unknown[]) => Promise<Row[]>;
