import { isLoopback } from "@longarm/link/environment";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import webPush from "web-push";
import type { Outcome } from "./post.ts";
import { post } from "./post.ts";
import type { Send } from "./worker.ts";

type PushConfig = {
  /** Hosts that a device may name; `*.` before one is any name below it. */
  readonly hosts: readonly string[];
  /** Whom a push service may write to: `mailto:…` or an https address. */
  readonly contact: () => string;
  /** Whether something may be pushed to the player's device of the row `d` now. */
  readonly mayRing: RawBuilder<boolean>;
};

type Device = {
  readonly id: string;
  readonly isPlayers: boolean;
  /** Nothing that keeps its player from play, or has ended the sign-in. */
  readonly mayRing: boolean;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly language: string;
  /** What is left of the time in which the fact matters, s; null: it has no such end. */
  readonly leftS: number | null;
};
type VapidKey = { readonly publicKey: string; readonly privateKey: string };

/** A push service keeps a message for a device that is off so long, seconds: for staff an older one is no news. */
const KEPT_S = { staff: 1_800, player: 86_400 } as const;

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

/** Sends facts to devices: encrypted for the device, and without anything that a locked screen should not show. */
export function pushSender(db: Kysely<unknown>, config: PushConfig): Send {
  return async ({ target, fact }, signal) => {
    const device = await deviceOf(db, target, config.mayRing, fact.data["until"]);
    if (device === undefined) return { is: "moot", answer: "the device is gone" };
    if (device.leftS !== null && device.leftS <= 0) return { is: "moot", answer: "its time is over" };
    const outcome = await deliver(db, device, fact, config, signal);
    if (outcome.is === "moot") await sql`delete from push_device where id = ${device.id}`.execute(db);
    if (outcome.is === "done")
      await sql`update push_device set used_at = clock_timestamp() where id = ${device.id}`.execute(db);
    return outcome;
  };
}

/** `moot`: nothing will ever reach this device: its browser, its person or a break has ended that. */
async function deliver(
  db: Kysely<unknown>,
  device: Device,
  { subject, type, data }: Parameters<Send>[0]["fact"],
  config: PushConfig,
  signal: AbortSignal,
): Promise<Outcome> {
  if (!device.mayRing) return { is: "moot", answer: "its player is away" };
  if (!isPushAddress(device.endpoint, config.hosts)) return { is: "moot", answer: "no push service of PUSH_HOSTS" };
  const { kind, group, machineName, seconds } = data;
  const payload = { type, subject, kind, group, seconds, machine: machineName ?? null, language: device.language };
  const request = requestFor(device, JSON.stringify(payload), {
    vapidDetails: { subject: config.contact(), ...(await pushKey(db)) },
    TTL: device.leftS ?? KEPT_S[device.isPlayers ? "player" : "staff"],
    urgency: group === "now" || device.leftS !== null ? "high" : "normal",
    // A newer message about the same subject replaces one that was not shown yet.
    topic: subject.replaceAll(/[^A-Za-z0-9_-]/g, "-").slice(0, 32),
  });
  if (request === undefined) return { is: "moot", answer: "the device's keys are no keys" };
  const outcome = await post(device.endpoint, { ...request, signal }, { gone: [404, 410] });
  return outcome.is === "dead" ? { is: "moot", answer: outcome.answer } : outcome;
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

/** `until`: when what happened is over, by the database's clock. */
async function deviceOf(
  db: Kysely<unknown>,
  id: string,
  mayRing: RawBuilder<boolean>,
  until: unknown,
): Promise<Device | undefined> {
  const end = typeof until === "string" ? until : null;
  const { rows } =
    await sql<Device>`select d.id, d.player_id is not null as "isPlayers", d.endpoint, d.p256dh, d.auth, d.language,
      (d.player_id is null or ${mayRing}) as "mayRing", floor(extract(epoch from ${end}::timestamptz - clock_timestamp()))::int as "leftS"
    from push_device d where d.id = ${id}`.execute(db);
  return rows[0];
}
