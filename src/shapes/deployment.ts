import * as z from 'zod/mini';
import { ANONYMOUS_PER_MINUTE } from '../contract/anonymous-rates.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes, formatCount } from '../contract/quantities.ts';
import { normalizeHost } from '../contract/site-hosts.ts';
import { DOUBLE_TEXT_POLICIES, READER_GONE_POLICIES, START_CHALLENGES } from '../contract/statuses.ts';
import { choice, flag, integer, texts } from './kinds.ts';
import { mimeType } from './mime-type.ts';

const { reads, starts, writes, turns } = ANONYMOUS_PER_MINUTE;

/** Normalized, because the host of an Origin is compared in that form. */
const host = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const name = normalizeHost(text);
    if (name !== undefined) return name;
    const message = 'must be a host name like example.com or an IPv4 address';
    context.issues.push({ code: 'custom', input: text, message });
    return z.NEVER;
  }),
);

const fileType = z.pipe(
  mimeType,
  z.transform((type) => type.toLowerCase()),
);

const rate = (title: string, says: string, without = 'no limit') =>
  integer({ title, says, most: LIMITS.ratePerMinute, without });

/**
 * The settings of a deployment that its page checks, without its version and its branding. Each is a column of the same name.
 * The rules of default budgets would be too large for the page.
 */
export const DEPLOYMENT_FORM = {
  authRequired: flag({ title: 'Require credentials', says: 'Whether turns need credentials' }, true),
  allowlist: texts(host, {
    title: 'Allowlist',
    says: 'Hosts whose pages can use the deployment without credentials, including subdomains',
    most: LIMITS.allowlist,
    noun: 'hosts',
    without: 'all hosts',
    form: 'An entry is a host like example.com. The service normalizes it: it removes scheme, path, port, a leading www. and duplicates, and stores lower case and Punycode.',
  }),
  hostedPage: flag({ title: 'Hosted page', says: 'Whether the service serves its hosted page' }, false),
  dynamicClientTools: flag(
    { title: 'Allow client tools in requests', says: 'Whether requests can define their own client tools' },
    true,
  ),
  doubleTextPolicy: choice(
    {
      title: 'If a message arrives while a turn is running',
      says: 'What happens to a message that arrives while a turn is running',
    },
    DOUBLE_TEXT_POLICIES,
    'reject',
  ),
  onReaderGone: choice(
    {
      title: 'If the reader of a streamed reply disconnects',
      says: 'What happens to a streamed v1 reply whose reader disconnects',
    },
    READER_GONE_POLICIES,
    'stop',
  ),
  allowEditing: flag(
    {
      title: 'Allow editing',
      says: 'Whether end users and callers without credentials can edit messages, regenerate replies and fork conversations',
    },
    true,
  ),
  anonymousPerMinute: rate(
    'Requests per IP address',
    'Requests per minute and IP address without credentials',
    `${formatCount(reads)} reads, ${starts} new conversations or one-shot runs, and ${writes} turns and other changes`,
  ),
  conversationTurnsPerMinute: rate(
    'Turns per conversation',
    'Turns per minute and conversation without credentials',
    String(turns),
  ),
  turnsPerMinute: rate('Turns in total', 'Turns and one-shot runs per minute of all callers together'),
  visitorTurnsPerHour: rate(
    'Turns per hour',
    'Turns per hour without credentials, per IP address and per visitor of the hosted page',
  ),
  visitorTurnsPerDay: rate(
    'Turns per day',
    'Turns per day without credentials, per IP address and per visitor of the hosted page',
  ),
  challenge: choice(
    {
      title: 'What callers without credentials solve before a start',
      says: 'What a caller without credentials solves before it starts a conversation or a one-shot run',
    },
    START_CHALLENGES,
    'off',
  ),
  maxFileBytes: integer({
    title: 'Bytes of one file',
    says: 'Bytes of one uploaded file',
    most: LIMITS.fileBytes,
    without: `${formatBytes(LIMITS.defaultFileBytes)}, without credentials ${formatBytes(LIMITS.defaultAnonymousFileBytes)}`,
  }),
  fileTypes: texts(fileType, {
    title: 'Types of files',
    says: 'MIME types of the files that callers can upload, also as image/*',
    most: LIMITS.fileTypes,
    noun: 'types',
    without: 'every type',
  }),
} as const;
