import { createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookReportType } from "@longarm/contract/webhooks";
import { WebhookReport, webhookReports } from "@longarm/contract/webhooks";
import * as z from "zod/mini";

/*
 * Standard Webhooks 1.0, on both sides: what is signed, what is accepted, and the platform's reports as their receiver reads them. `id`, time and the
 * bytes of the body are signed with HMAC-SHA-256; a secret is `whsec_` and base64.
 */

/** A message may be so old, or so far ahead of this platform's clock, s. */
export const WEBHOOK_WINDOW_S = 300;
/** The most signatures that one message carries: one for each secret of its sender. */
const SIGNATURES_MAX = 5;

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64");

const macOf = (secret: string, id: string, timestamp: string | number, body: string | Buffer): Buffer =>
  createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest();

/** `webhook-signature`: one per secret. `timestampS`: when it is sent, seconds since 1970. */
export function signatureOf(secrets: readonly string[], id: string, timestampS: number, body: string): string {
  return secrets.map((secret) => `v1,${macOf(secret, id, timestampS, body).toString("base64")}`).join(" ");
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whether a message is signed by one of the secrets over the bytes as they came, and in time. */
export function isSignedBy(secrets: readonly string[], headers: Headers, body: unknown, nowMs: number): boolean {
  const [id, time, given] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name]);
  if (typeof id !== "string" || typeof time !== "string" || typeof given !== "string" || !Buffer.isBuffer(body))
    return false;
  if (!/^\d{1,12}$/.test(time) || Math.abs(nowMs / 1_000 - Number(time)) > WEBHOOK_WINDOW_S) return false;
  const signatures = given
    .split(" ")
    .slice(0, SIGNATURES_MAX)
    .flatMap((one) => (one.startsWith("v1,") ? [Buffer.from(one.slice(3), "base64")] : []));
  return secrets
    .map((secret) => macOf(secret, id, time, body))
    .some((one) => signatures.some((other) => other.length === one.length && timingSafeEqual(one, other)));
}

type ReportOf<Type extends WebhookReportType> = Omit<z.output<typeof WebhookReport>, "type" | "data"> & {
  readonly type: Type;
  readonly data: z.output<(typeof webhookReports)[Type]["data"]>;
  /** The same in each repeat: what was received under it before needs nothing more. */
  readonly id: string;
};
export type Report = { readonly [Type in WebhookReportType]: ReportOf<Type> }[WebhookReportType];
/** Of a newer platform, perhaps. */
type OtherReport = z.output<typeof WebhookReport> & { readonly id: string };

/**
 * A report as it came; undefined: it is not the platform's, or its time is over. `body`: the bytes.
 * @throws what the schema says where the platform sent something else than it promises.
 */
export function readReport(
  secrets: readonly string[],
  headers: Headers,
  body: Buffer,
  nowMs: number,
): { readonly known: Report } | { readonly other: OtherReport } | undefined {
  if (!isSignedBy(secrets, headers, body, nowMs)) return undefined;
  const sent = { ...z.parse(WebhookReport, JSON.parse(body.toString())), id: String(headers["webhook-id"]) };
  if (!isKnown(sent.type)) return { other: sent };
  return { known: { ...sent, data: z.parse(webhookReports[sent.type].data, sent.data) } as Report };
}

const isKnown = (type: string): type is WebhookReportType => Object.hasOwn(webhookReports, type);
