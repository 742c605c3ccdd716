-- CreateTable
CREATE TABLE "saved_view" (
    "id" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "parameters" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "saved_view_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "saved_view_workspace_id_user_id_idx" ON "saved_view"("workspace_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "saved_view_environment_id_user_id_name_key" ON "saved_view"("environment_id", "user_id", "name");

-- CreateIndex
CREATE INDEX "run_request_id_idx" ON "run"("request_id");

-- CreateIndex
CREATE INDEX "timeline_item_calls" ON "timeline_item"("call_id") WHERE (call_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "workflow_log_request_id_idx" ON "workflow_log"("request_id");

-- AddForeignKey
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_workspace_id_user_id_fkey" FOREIGN KEY ("workspace_id", "user_id") REFERENCES "membership"("workspace_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;


ALTER TABLE "saved_view" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "saved_view" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);

-- The words of a text, without case and without accents, so "cafe" finds "Café". A text is searched up to 50,000 characters:
-- a tsvector holds at most 1 MiB, and PostgreSQL rejects a longer one. The text is cut again after normalization, which can
-- lengthen it. SQL-standard bodies bind names at creation, so pg_restore can build the indexes without a search path.
CREATE FUNCTION "search_words"(input text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN to_tsvector('pg_catalog.simple'::regconfig,
    left(regexp_replace(normalize(left(input, 50000), NFKD), '[\u0300-\u036f]', '', 'g'), 50000));

-- The words of the text parts of a message. Null without text.
CREATE FUNCTION "message_words"(content jsonb) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN search_words((
    SELECT string_agg(part #>> '{}', ' ') FROM jsonb_path_query(content, '$[*] ? (@.type == "text").text') AS part
  ));

-- The words to find, as `websearch_to_tsquery` reads them.
CREATE FUNCTION "search_query"(input text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN websearch_to_tsquery('pg_catalog.simple'::regconfig,
    regexp_replace(normalize(input, NFKD), '[\u0300-\u036f]', '', 'g'));

-- The same, but the last word can be the start of a word. The text of a query ends with a quote unless it ends with a group.
CREATE FUNCTION "search_prefix_query"(input text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE WHEN right(search_query(input)::text, 1) = ''''
    THEN (search_query(input)::text || ':*')::tsquery ELSE search_query(input) END;

-- The environment is part of the indexes, so a word that is frequent in other environments does not slow a search down.
-- GIN has no operator class for a UUID, but one for an array of them.
CREATE INDEX "timeline_item_words" ON "timeline_item" USING gin ((ARRAY["environment_id"]), (message_words("content")))
  WHERE kind = 'message';
CREATE INDEX "conversation_words" ON "conversation" USING gin ((ARRAY["environment_id"]), (search_words("name")));
