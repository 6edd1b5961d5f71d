import { createHmac } from "node:crypto";
import { MAIL_CODE_LENGTH } from "@longarm/contract/player-mail";
import type { Language } from "@longarm/contract/settings";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { Keys } from "../../players/accounts/index.ts";
import type { Outcome, Send } from "../outbox/index.ts";
import { sendTo, writeFact } from "../outbox/index.ts";
import type { Mailer } from "./smtp.ts";
import type { MailKind, MailTexts } from "./texts.ts";
import { writeMail } from "./texts.ts";

export { smtpMailer } from "./smtp.ts";
export { MAIL_FILES, type MailTexts, readMailTexts } from "./texts.ts";

type NewMail = {
  readonly kind: MailKind;
  /** Empty: no one receives it, and it takes as long. */
  readonly address: string;
  readonly language: Language;
  /** What its text names, but for a code. */
  readonly facts?: Readonly<Record<string, string>>;
  /** Names the code, which only the mail has. */
  readonly code?: CodeName;
  /** Until when it says something true; null: it has no such end. */
  readonly goodUntil?: Date | null;
};

/** Has a mail sent, in the transaction of its cause. It leaves at least once. */
export async function queueMail(trx: AnyDb, random: Random, mail: NewMail): Promise<void> {
  const id = newId(random, "ml");
  const { kind, address, language, facts = {}, code, goodUntil = null } = mail;
  const seq = await writeFact(trx, random, { type: `mail.${kind}`, subject: `mail:${id}`, data: {}, isReport: false });
  await sql`insert into outgoing_mail (id, fact_seq, kind, address, language, facts, code_id, good_until)
    values (${id}, ${seq}, ${kind}, ${address}, ${language}, ${JSON.stringify(facts)}::jsonb, ${code === undefined ? null : `${code.id} ${code.kid ?? ""}`}, ${goodUntil})`.execute(
    trx,
  );
  await sendTo(trx, seq, "mail", [id]);
}

/** Which code it is: its row, and the key that it is made with. Null: the current one. */
export type CodeName = { readonly id: string; readonly kid: string | null };

/** The code of a row of `mailed_code`, which is kept nowhere: the sender and the checker make it alike. */
export async function mailedCode(keys: Keys, { id, kid }: CodeName): Promise<string> {
  const { secret } = (await keys.find(kid ?? "")) ?? (await keys.current());
  const mac = createHmac("sha256", secret).update(`mailed code ${id}`).digest();
  return String(mac.readBigUInt64BE() % 10n ** BigInt(MAIL_CODE_LENGTH)).padStart(MAIL_CODE_LENGTH, "0");
}

type SenderParts = {
  readonly db: Kysely<unknown>;
  readonly keys: Keys;
  readonly mailer: Mailer;
  readonly texts: MailTexts;
  /** What the mails call the casino. */
  readonly casino: string;
};

type Row = {
  readonly kind: MailKind;
  readonly address: string;
  readonly language: Language;
  readonly facts: Readonly<Record<string, string>>;
  readonly codeId: string | null;
  readonly over: boolean;
  readonly minutes: number | null;
};

/** Sends what `queueMail` wrote. A mail that was sent, or has no receiver, is deleted. */
export function mailSender(parts: SenderParts): Send {
  const { db } = parts;
  return async ({ target, attempts }, signal) => {
    try {
      const row = await readMail(db, target);
      if (row === undefined) return { is: "moot", answer: "the mail is gone" };
      const outcome = await sendRow(parts, target, row, attempts, signal);
      if (outcome.is === "done" || outcome.is === "moot")
        await sql`delete from outgoing_mail where id = ${target}`.execute(db);
      return outcome;
    } catch {
      return { is: "retry", answer: "the mail could not be read" };
    }
  };
}

async function sendRow(
  { keys, mailer, texts, casino }: SenderParts,
  id: string,
  row: Row,
  attempts: number,
  signal: AbortSignal,
): Promise<Outcome> {
  if (row.address === "") return { is: "moot", answer: "no one receives it" };
  // Late because of a server that failed is a fault; late at the first try is only late.
  if (row.over) return { is: attempts > 1 ? "dead" : "moot", answer: "its time is over" };
  const code = row.codeId === null ? "" : inGroups(await mailedCode(keys, codeNamed(row.codeId)));
  const names = { ...row.facts, casino, code, minutes: String(row.minutes ?? "") };
  const written = writeMail(texts[row.language][row.kind], row.language, names);
  return await mailer.send({ id, to: row.address, ...written }, signal);
}

function codeNamed(text: string): CodeName {
  const [id = "", kid = ""] = text.split(" ");
  return { id, kid: kid === "" ? null : kid };
}

const inGroups = (code: string): string => code.replaceAll(/(\d{4})(?=\d)/g, "$1 ");

async function readMail(db: Kysely<unknown>, id: string): Promise<Row | undefined> {
  const { rows } =
    await sql<Row>`select kind, address, language, facts, code_id as "codeId", coalesce(good_until <= clock_timestamp(), false) as over,
      round(extract(epoch from good_until - made_at) / 60)::int as minutes
    from outgoing_mail where id = ${id}`.execute(db);
  return rows[0];
}
