import { hash } from 'node:crypto';
import type { PrismaClient } from '../../db/generated/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Logo } from './branding.ts';

/** A logo with its picture. */
export interface LogoFile extends Logo {
  readonly picture: Uint8Array<ArrayBuffer>;
}

/** Formats that browsers decode without running anything. SVG is not one of them: it can contain scripts. */
const FORMATS: readonly { readonly mimeType: string; readonly matches: (bytes: Buffer) => boolean }[] = [
  {
    mimeType: 'image/png',
    matches: (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  },
  { mimeType: 'image/jpeg', matches: (bytes) => bytes.subarray(0, 3).equals(Buffer.from('\xff\xd8\xff', 'latin1')) },
  {
    mimeType: 'image/webp',
    matches: (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  },
];

const DIGEST_LENGTH = 32;

/** The form of a digest in the path of a logo. */
export const DIGEST_PATTERN = new RegExp(`^[0-9a-f]{${DIGEST_LENGTH}}$`);

/** Recognizes the format from the first bytes. Undefined: not one of the formats. */
export function logoFile(base64: string): LogoFile | undefined {
  const picture = Buffer.from(base64, 'base64');
  const format = FORMATS.find(({ matches }) => matches(picture));
  if (!format) return undefined;
  const digest = hash('sha256', picture).slice(0, DIGEST_LENGTH);
  return { digest, mimeType: format.mimeType, picture: new Uint8Array(picture) };
}

/** Replaces the picture of a deployment, or deletes it. */
export async function storeLogo(
  tx: Transaction,
  { id: deploymentId, workspaceId }: { readonly id: string; readonly workspaceId: string },
  file: LogoFile | null,
): Promise<void> {
  await tx.deploymentLogo.deleteMany({ where: { deploymentId } });
  if (file) await tx.deploymentLogo.create({ data: { deploymentId, workspaceId, ...file } });
}

/** Public: anyone who knows the digest can read the picture. Undefined: the deployment has another logo, or it has no logo. */
export async function readLogo(
  prisma: PrismaClient,
  deploymentId: string,
  digest: string,
): Promise<Pick<LogoFile, 'mimeType' | 'picture'> | undefined> {
  const logo = await prisma.deploymentLogo.findFirst({
    where: { deploymentId, digest },
    select: { mimeType: true, picture: true },
  });
  return logo ?? undefined;
}
