import { isLoopback } from "@longarm/link/environment";
import type { Kysely, Transaction } from "kysely";
import { sql } from "kysely";
import webPush from "web-push";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { Outcome } from "./post.ts";
import { post } from "./post.ts";
import type { Send } from "./worker.ts";

type PushConfig = {
  /** Hosts that a device may name; `*.` before one is any name below it. */
  readonly hosts: readonly string[];
  /** Whom a push service may write to: `mailto:…` or an https address. */
  readonly contact: () => string;
};

type NewDevice = {
  readonly staffId: string;
  /** Where its browser's push service takes messages for it. */
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly label: string;
  readonly language: "en" | "tr" | "ar";
};
type Device = NewDevice & { readonly id: string };
type VapidKey = { readonly publicKey: string; readonly privateKey: string };

/** Devices that one person may have. */
const DEVICES_MAX = 10;
/** A push service keeps a message for a device that is off so long, seconds: an older one is no news. */
const KEPT_S = 1_800;

/**
 * Whether a device may name this address: its browser says it, so it could be any. Only push services are called, by https; this computer by http where
 * the setting names it.
 */
export function isPushAddress(endpoint: string, hosts: readonly string[]): boolean {
  const url = URL.parse(endpoint);
  if (url === null || url.username !== "" || url.password !== "") return false;
  const named = hosts.some((host) =>
    host.startsWith("*.") ? url.host.endsWith(host.slice(1)) : url.host === host.toLowerCase(),
  );
  return named && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)));
}

/** The key pair of the platform, made at the first question. A new one would end every subscription, so it is kept for ever. */
export async function pushKey(db: Kysely<unknown>): Promise<VapidKey> {
  const read = async (): Promise<VapidKey | undefined> => {
    const { rows } = await sql<VapidKey>`select public_key as "publicKey", private_key as "privateKey"
      from push_key where id = 1`.execute(db);
    return rows[0];
  };
  const known = await read();
  if (known !== undefined) return known;
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  await sql`insert into push_key (id, public_key, private_key) values (1, ${publicKey}, ${privateKey}) on conflict do nothing`.execute(
    db,
  );
  // Of two nodes that begin together one made it.
  return (await read()) ?? { publicKey, privateKey };
}

/** Adds a device, in place of one with the same address; undefined: the person has too many. */
export async function addDevice(
  trx: Transaction<unknown>,
  random: Random,
  given: NewDevice,
): Promise<string | undefined> {
  await sql`delete from push_device where endpoint = ${given.endpoint}`.execute(trx);
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from push_device
    where staff_id = ${given.staffId}`.execute(trx);
  if ((rows[0]?.count ?? 0) >= DEVICES_MAX) return undefined;
  const id = newId(random, "pd");
  await sql`insert into push_device (id, staff_id, endpoint, p256dh, auth, label, language)
    values (${id}, ${given.staffId}, ${given.endpoint}, ${given.p256dh}, ${given.auth}, ${given.label}, ${given.language})`.execute(
    trx,
  );
  return id;
}

/** @returns whether this person had it. */
export async function removeDevice(db: Kysely<unknown>, staffId: string, id: string): Promise<boolean> {
  const { rows } = await sql`delete from push_device where id = ${id} and staff_id = ${staffId} returning id`.execute(
    db,
  );
  return rows.length > 0;
}

type ListedDevice = {
  readonly id: string;
  readonly label: string;
  readonly addedAt: Date;
  readonly usedAt: Date | null;
};

/** Devices of a person, oldest first. */
export async function listDevices(db: Kysely<unknown>, staffId: string): Promise<ListedDevice[]> {
  const { rows } = await sql<ListedDevice>`select id, label, added_at as "addedAt", used_at as "usedAt" from push_device
    where staff_id = ${staffId} order by added_at, id`.execute(db);
  return rows;
}

/** Ids of the devices of these people. */
export async function devicesOf(db: Kysely<unknown>, staffIds: readonly string[]): Promise<string[]> {
  if (staffIds.length === 0) return [];
  const { rows } = await sql<{
    id: string;
  }>`select id from push_device where staff_id = any(${[...staffIds]}::text[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** Sends facts to devices: encrypted for the device, and without anything that a locked screen should not show. */
export function pushSender(db: Kysely<unknown>, config: PushConfig): Send {
  return async ({ target, fact }, signal) => {
    const device = await deviceOf(db, target);
    if (device === undefined) return { is: "dead", answer: "the device is gone" };
    if (!isPushAddress(device.endpoint, config.hosts)) return { is: "dead", answer: "no push service of PUSH_HOSTS" };
    const outcome = await deliver(await pushKey(db), device, fact, config, signal);
    // The browser or its person ended the subscription.
    if (outcome.is === "dead") await removeDevice(db, device.staffId, device.id);
    if (outcome.is === "done")
      await sql`update push_device set used_at = clock_timestamp() where id = ${device.id}`.execute(db);
    return outcome;
  };
}

async function deliver(
  { publicKey, privateKey }: VapidKey,
  device: Device,
  { subject, type, data }: Parameters<Send>[0]["fact"],
  config: PushConfig,
  signal: AbortSignal,
): Promise<Outcome> {
  const { kind, group, machineName } = data;
  const payload = { type, subject, kind, group, machine: machineName ?? null, language: device.language };
  const request = requestFor(device, JSON.stringify(payload), {
    vapidDetails: { subject: config.contact(), publicKey, privateKey },
    TTL: KEPT_S,
    urgency: group === "now" ? "high" : "normal",
    // A newer message about the same task replaces one that was not shown yet.
    topic: subject.replaceAll(/[^A-Za-z0-9_-]/g, "-").slice(0, 32),
  });
  if (request === undefined) return { is: "dead", answer: "the device's keys are no keys" };
  return await post(device.endpoint, { headers: request.headers, body: request.body, signal }, { gone: [404, 410] });
}

function requestFor(
  { endpoint, p256dh, auth }: Device,
  payload: string,
  options: Parameters<typeof webPush.generateRequestDetails>[2],
): { readonly headers: Record<string, string>; readonly body: Buffer } | undefined {
  try {
    const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, options);
    // The length is what `fetch` counts itself.
    const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "content-length");
    return body === null
      ? undefined
      : { headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])), body };
  } catch {
    return undefined;
  }
}

async function deviceOf(db: Kysely<unknown>, id: string): Promise<Device | undefined> {
  const { rows } =
    await sql<Device>`select id, staff_id as "staffId", endpoint, p256dh, auth, label, language from push_device
    where id = ${id}`.execute(db);
  return rows[0];
}
