import { afterEach, expect, test } from "vitest";
import type { MailServer } from "../../../testing/mail-server.ts";
import { openMailServer } from "../../../testing/mail-server.ts";
import { smtpMailer } from "./smtp.ts";

/* What leaves this computer, and to whom. */

let server: MailServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const FROM = { name: 'Poyraz "Casino"', address: "no-reply@example.test" };
const MAIL = {
  id: "ml_1234567890",
  to: "vera@example.test",
  subject: "Şifre · رمز",
  text: "Merhaba\n",
  html: "<p>سلام</p>",
};
const never = new AbortController().signal;

test("a mail arrives as it was written, in every script, with the server's password", async () => {
  server = await openMailServer();
  const mailer = smtpMailer(server.url.replace("smtp://", "smtp://post%40man:p%3Aw@"), FROM);
  expect(await mailer.send(MAIL, never)).toMatchObject({ is: "done" });
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: FROM.address, to: [MAIL.to], user: "post@man" });
  expect(mail?.headers).toMatchObject({ subject: MAIL.subject, "message-id": "<ml_1234567890@example.test>" });
  expect(mail?.text.trim()).toBe("Merhaba");
  expect(mail?.html.trim()).toBe("<p>سلام</p>");
});

test.each([
  ["unknown", "moot"],
  ["later", "retry"],
  ["refuses", "dead"],
  ["password", "retry"],
] as const)("a server that answers %s: %s, and its words are not kept", async (fault, is) => {
  server = await openMailServer();
  server.fail(fault);
  const mailer = smtpMailer(server.url.replace("smtp://", "smtp://a:b@"), FROM);
  const outcome = await mailer.send(MAIL, never);
  expect(outcome.is).toBe(is);
  expect(outcome.answer).toMatch(/^E[A-Z]+ \d{3}/);
  expect(outcome.answer).not.toContain("vera");
});

test("a server that takes the mail and is gone, or says nothing more, is tried again", async () => {
  server = await openMailServer();
  server.fail("cut");
  expect(await smtpMailer(server.url, FROM).send(MAIL, never)).toMatchObject({ is: "retry" });
  server.fail("silent");
  const ending = new AbortController();
  const sending = smtpMailer(server.url, FROM).send(MAIL, ending.signal);
  await expect.poll(() => server?.mails.length).toBe(2);
  ending.abort();
  expect(await sending).toMatchObject({ is: "retry" });
});

test.each([
  ["offers no TLS", {}],
  ["has a certificate of its own making, by STARTTLS", { startTls: true }],
  ["has a certificate of its own making, from the first byte", { tls: true }],
])("elsewhere a server that %s gets neither mail nor password", async (_what, options) => {
  server = await openMailServer(options);
  const mailer = smtpMailer(server.url.replace("://", "://a:b@"), FROM, false);
  expect(await mailer.send(MAIL, never)).toMatchObject({ is: "retry" });
  expect(server.mails).toEqual([]);
});

test("what looks like several addresses is one", async () => {
  server = await openMailServer();
  await smtpMailer(server.url, FROM).send({ ...MAIL, to: "vera@example.test, mallory@evil.test" }, never);
  expect(server.to("mallory@evil.test")).toEqual([]);
});
