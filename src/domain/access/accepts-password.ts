import { Prisma } from '../../db/generated/client.ts';

/**
 * Whether the password of the account `u` opens sessions of its membership `m`. Members who joined before the column
 * existed: the workspace that created the account accepts its password, and so does one that they joined without single
 * sign-on, because that needed the password. Others may have linked an account whose password a stranger chose.
 */
export const ACCEPTS_PASSWORD = Prisma.sql`coalesce(m.accepts_password, m.created_at = u.created_at OR NOT EXISTS (
  SELECT FROM sso_identity i WHERE i.workspace_id = m.workspace_id AND i.user_id = m.user_id))`;
