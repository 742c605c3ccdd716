-- The first start of the database of compose.yaml runs this as the superuser. PARLEY_PASSWORD is the password of the service.
\set ON_ERROR_STOP on
\getenv password PARLEY_PASSWORD

-- The service owns its database, so it can create its schema and migrate it, and nothing else on the server.
CREATE ROLE parley LOGIN PASSWORD :'password';
ALTER DATABASE parley OWNER TO parley;
REVOKE ALL ON DATABASE parley FROM PUBLIC;
REVOKE ALL ON DATABASE postgres FROM PUBLIC;

-- The role of the service's connections, to which row-level security applies. Without the predefined roles the service would
-- grant it each table.
CREATE ROLE parley_service NOLOGIN;
GRANT pg_read_all_data, pg_write_all_data TO parley_service;
GRANT parley_service TO parley;

-- Nobody can sign in as the superuser over the network: `docker compose exec postgres psql --username=postgres`.
ALTER ROLE postgres PASSWORD NULL;
