ALTER TABLE "connected_app" ADD COLUMN "registration_id" TEXT;

CREATE TABLE "registered_app" (
    "id" TEXT NOT NULL,
    "name" TEXT,
    "redirect_uris" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "registered_app_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "registered_app_expires_at_idx" ON "registered_app"("expires_at");

ALTER TABLE "connected_app" ADD CONSTRAINT "connected_app_registration_id_fkey" FOREIGN KEY ("registration_id") REFERENCES "registered_app"("id") ON DELETE NO ACTION ON UPDATE CASCADE NOT VALID;

-- A registration belongs to no workspace until a member connects the app.
ALTER TABLE "registered_app" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "registered_app" USING (EXISTS (SELECT FROM connected_app a WHERE a.registration_id = registered_app.id));
