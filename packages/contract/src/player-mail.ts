import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { Done, LoginField } from "./http.ts";
import { OwnId } from "./ids.ts";
import { Proof } from "./player-keys.ts";
import { LANGUAGES } from "./settings.ts";

const Language = z.enum(LANGUAGES);
const When = z.iso.datetime({ offset: true }).check(z.maxLength(40));

/** An address that mail goes to: one line, without a name, as long as mail servers take it (RFC 5321, 4.5.3.1.3). */
export const MailAddress = z.email().check(z.maxLength(254));

/** How many figures a code has that was sent by e-mail. */
export const MAIL_CODE_LENGTH = 8;
/** How long such a code is good, minutes. */
export const MAIL_CODE_MINUTES = 30;

/** A code as it was typed: figures, and blanks between them. */
const TypedCode = z.string().check(z.minLength(1), z.maxLength(40));

/** The caller's e-mail address. */
export const PlayerMail = z.object({
  /** Null: none is on file. */
  address: z.nullable(z.string()),
  /** The player has shown that mail to it arrives: notices and a new password go there. */
  confirmed: z.boolean(),
  /** Where a code went that waits to be typed; absent: none waits. */
  sentTo: z.optional(z.string()),
});
export type PlayerMail = z.output<typeof PlayerMail>;

/** Calls that need a mail server. A platform without one answers 404. */
export const mailCalls = {
  mail: { method: "GET", path: "player/mail", answer: PlayerMail },
  /** Sends a code to an address, which becomes the caller's once the code comes back. */
  mailAsk: {
    method: "POST",
    path: "player/mail/ask",
    body: z.strictObject({ address: MailAddress, language: Language, proof: Proof }),
    answer: z.object({ expiresAt: When }),
  },
  mailConfirm: {
    method: "POST",
    path: "player/mail",
    body: z.strictObject({ code: TypedCode }),
    answer: PlayerMail,
  },
  /** Sends a code for a new password, where there is such a player and the address is confirmed. The answer is the same where not. */
  resetAsk: {
    method: "POST",
    path: "login/reset",
    body: z.strictObject({ username: LoginField, language: Language }),
    answer: z.object({ reset: OwnId, expiresAt: When }),
    open: true,
  },
  /** `second`: a recovery code, or a code of the authenticator app; wanted of a player who has more than a password. All sign-ins of the player end. */
  resetPassword: {
    method: "POST",
    path: "login/reset/password",
    body: z.strictObject({
      reset: OwnId,
      code: TypedCode,
      new_password: LoginField,
      second: z.optional(z.string().check(z.minLength(1), z.maxLength(60))),
    }),
    answer: Done,
    open: true,
  },
} as const satisfies Record<string, Call>;
