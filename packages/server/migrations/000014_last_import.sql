-- The reader may see when customers were last imported, for the metrics; not which file, nor how many.
-- oldest program: 000013
grant select (id, saved_at) on clientele.imports to clientele_reader;
