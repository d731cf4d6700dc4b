-- Events of a day are a table of their own in PostgreSQL alone.
SELECT 1;
