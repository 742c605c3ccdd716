import * as z from 'zod/mini';
import { RESET_PASSWORD } from '../../../shapes/accounts.ts';
import './rules.ts';

const { rule, range } = RESET_PASSWORD.fields.password;

export const PASSWORD_HINT = `Use ${range}.`;

export const newPassword = z.string().check(z.refine((text) => z.safeParse(rule, text).success, `Enter ${range}.`));
