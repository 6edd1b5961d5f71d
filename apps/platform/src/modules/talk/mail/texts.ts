import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Language } from "@longarm/contract/settings";
import { LANGUAGES } from "@longarm/contract/settings";
import * as z from "zod";
import arabic from "./texts/ar.json" with { type: "json" };
import english from "./texts/en.json" with { type: "json" };
import turkish from "./texts/tr.json" with { type: "json" };

/** Every mail to players, with what its text may name beside the casino. */
export const MAILS = {
  /** The code that confirms an address. */
  confirm: ["code", "minutes"],
  /** The code for a new password. */
  reset: ["code", "minutes"],
  /** To the address that was: another one takes its place. */
  moved: ["username"],
  /** To the address that took its place. */
  movedHere: ["username"],
  passwordChanged: ["username"],
  passkeyAdded: ["username"],
  passkeyRemoved: ["username"],
  /** An authenticator app was set up, perhaps in place of another. */
  appAdded: ["username"],
  appRemoved: ["username"],
  /** A link with an OpenID issuer, which signs in. */
  linkAdded: ["username"],
  linkRemoved: ["username"],
  /** Staff removed every passkey, recovery code, authenticator app and link. */
  keysRemoved: ["username"],
  /** A sign-in from a browser or a network of which there was none lately. */
  newSignIn: ["username", "device", "address", "time"],
} as const satisfies Record<string, readonly string[]>;
export type MailKind = keyof typeof MAILS;
const KINDS = Object.keys(MAILS) as MailKind[];

/** The longest text of an operator's mail, letters. */
const TEXT_MAX = 2_000;
const OneLine = z
  .string()
  .trim()
  .min(1)
  .max(150)
  .regex(/^[^\p{Cc}]*$/u, "must be one line");
const MailText = z.strictObject({
  subject: OneLine,
  /** Paragraphs. A code has a paragraph of its own. */
  body: z.array(z.string().trim().min(1).max(TEXT_MAX)).min(1).max(20),
});
type MailText = z.infer<typeof MailText>;
const Texts = z.partialRecord(z.enum(KINDS), MailText);

export type MailTexts = Readonly<Record<Language, Readonly<Record<MailKind, MailText>>>>;

const OURS: MailTexts = { en: english, tr: turkish, ar: arabic };

/** Files of the branding folder with the operator's own texts. */
export const MAIL_FILES = LANGUAGES.map((language) => `mails-${language}.json`);

/**
 * Our texts, and the operator's in their place.
 * @returns with every problem of the operator's files: one that is no such text, or names what its mail does not know
 */
export async function readMailTexts(folder: string): Promise<{ texts: MailTexts; problems: readonly string[] }> {
  const texts = { ...OURS };
  const problems: string[] = [];
  for (const language of LANGUAGES) {
    const name = `mails-${language}.json`;
    const file = await readFile(join(folder, name), "utf8").catch(() => undefined);
    if (file === undefined) continue;
    const read = Texts.safeParse(parsed(file));
    if (read.success) {
      problems.push(...KINDS.flatMap((kind) => wrongNames(kind, read.data[kind])).map((line) => `${name}: ${line}`));
      texts[language] = { ...OURS[language], ...(read.data as Partial<Record<MailKind, MailText>>) };
    } else problems.push(...read.error.issues.map(({ path, message }) => `${name}: ${path.join(".")}: ${message}`));
  }
  return { texts, problems };
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(file.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

const NAMED = /\{([^{}]*)\}/g;

/** What a text names and its mail does not know, and a code that it forgot. */
function wrongNames(kind: MailKind, text: MailText | undefined): string[] {
  if (text === undefined) return [];
  const known: readonly string[] = [...MAILS[kind], "casino"];
  const all = [...[text.subject, ...text.body].join("\n").matchAll(NAMED)].map(([, name = ""]) => name);
  const unknown = all.filter((name) => !known.includes(name));
  const hasCode = text.body.some((paragraph) => paragraph.includes("{code}"));
  return [
    ...unknown.map((name) => `${kind}: {${name}} is not known; known are ${known.map((one) => `{${one}}`).join(", ")}`),
    ...(known.includes("code") && !hasCode ? [`${kind}: the body has no {code}`] : []),
    ...(text.subject.includes("{code}")
      ? [`${kind}: a code does not belong into the subject, which a locked screen shows`]
      : []),
  ];
}

type Written = { readonly subject: string; readonly text: string; readonly html: string };

/** Writes a mail as plain text and as simple HTML. What it names comes from players and their browsers: it is one line, and text. */
export function writeMail(
  { subject, body }: MailText,
  language: Language,
  names: Readonly<Record<string, string>>,
): Written {
  const value = (name: string): string => (names[name] ?? "").replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").slice(0, 300);
  const filled = (text: string): string => text.replaceAll(NAMED, (_all, name: string) => value(name));
  const paragraphs = body.map((paragraph) => {
    const parts = escaped(paragraph).replaceAll(NAMED, (_all, name: string) =>
      name === "code"
        ? `<strong dir="ltr" style="font:700 28px/1.4 monospace;letter-spacing:2px">${escaped(value(name))}</strong>`
        : `<bdi>${escaped(value(name))}</bdi>`,
    );
    return `<p style="margin:0 0 16px">${parts}</p>`;
  });
  const direction = language === "ar" ? "rtl" : "ltr";
  return {
    subject: filled(subject).slice(0, 200),
    text: `${body.map(filled).join("\n\n")}\n`,
    html: `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(filled(subject))}</title></head><body style="margin:0;padding:24px;background:#ffffff;color:#1b1613;font:16px/1.5 sans-serif"><div style="max-width:34em;margin:0 auto">${paragraphs.join("")}</div></body></html>`,
  };
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
