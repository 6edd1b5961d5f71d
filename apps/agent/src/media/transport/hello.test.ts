import { expect, test, vi } from "vitest";
import { DtlsClient, DtlsServer, ProtectionProfileAes128CmHmacSha1_80, RTCDtlsTransport } from "werift";
import { answerAtOnce } from "./werift/dtls-guard.ts";

/* Both sides of a handshake in one process, and between them a line that can lose packets. */

const SOON = { timeout: 60_000, interval: 20 };
const [CLIENT_HELLO, SERVER_HELLO, COOKIE_ASKED, CERTIFICATE] = [1, 2, 3, 11];

type Listener<T> = (value: T) => void;
function event<T>() {
  const listeners = new Set<Listener<T>>();
  return {
    subscribe(listener: Listener<T>) {
      listeners.add(listener);
      return { unSubscribe: () => void listeners.delete(listener) };
    },
    tell: (value: T) => listeners.forEach((listener) => void listener(value)),
    listeners: () => listeners.size,
  };
}

/** What a packet of the first, unencrypted part says first: 0 when that is no message of a handshake. */
const wordOf = (packet: Buffer): number => (packet[0] === 22 && packet.readUInt16BE(3) === 0 ? (packet[13] ?? 0) : 0);

/**
 * A browser that begins while the agent's side of ICE is not done. `loses`: whether the line loses the agent's packet of that number, and `tells` the
 * agent so, as a TCP connection that is closed does. `strange`: comes before all else.
 */
async function handshake(
  loses: (packet: number) => boolean,
  { strange = [], tells = false }: { strange?: readonly Buffer[]; tells?: boolean } = {},
) {
  const { certPem: cert, privateKey: key, signatureHash } = await RTCDtlsTransport.SetupCertificate();
  const given = { cert, key, signatureHash, extendedMasterSecret: true };
  const srtpProfiles = [ProtectionProfileAes128CmHmacSha1_80] as never;
  const fromBrowser = event<Buffer>();
  const states = event<string>();
  const said = { browser: [] as number[], agent: [] as number[] };
  const line = (send: Listener<Buffer>) => ({
    onData: undefined as Listener<Buffer> | undefined,
    send: async (packet: Buffer) => send(packet),
    close: () => undefined,
    ...{ type: "udp", address: ["127.0.0.1", 0], closed: false },
  });
  let hello: Buffer | undefined;
  const browserLine = line((packet) => {
    hello ??= Buffer.from(packet);
    said.browser.push(wordOf(packet));
    queueMicrotask(() => fromBrowser.tell(packet));
  });
  let packets = 0;
  const agentLine = line((packet) => {
    packets += 1;
    said.agent.push(wordOf(packet));
    if (!loses(packets)) queueMicrotask(() => browserLine.onData?.(packet));
    else if (tells) throw new Error("The connection is closed.");
  });
  const dtls = {
    role: "server",
    onStateChange: states,
    iceTransport: { connection: { onData: fromBrowser } },
    dtls: undefined as DtlsServer | undefined,
  };
  answerAtOnce(dtls as unknown as RTCDtlsTransport);

  const browser = new DtlsClient({ ...given, srtpProfiles, transport: browserLine as never });
  const connected = vi.fn();
  browser.onConnect.subscribe(connected);
  browser.connect().catch(() => undefined);
  await vi.waitFor(() => expect(said.browser).toEqual([CLIENT_HELLO]), SOON);

  for (const packet of strange) fromBrowser.tell(packet);
  states.tell("connecting");
  const agent = new DtlsServer({ ...given, srtpProfiles, certificateRequest: true, transport: agentLine as never });
  dtls.dtls = agent;
  fromBrowser.subscribe((packet) => agentLine.onData?.(packet));
  await vi.waitFor(() => expect(connected).toHaveBeenCalled(), SOON);
  return { said, browser, agent, waiting: fromBrowser.listeners(), hello, hear: fromBrowser.tell };
}

const keysOf = (side: DtlsClient | DtlsServer) => side.extractSessionKeys(16, 14);

test("a browser's first word that came before our side of ICE was done is answered, by the certificate and without a question first", async () => {
  const { said, browser, agent, waiting } = await handshake(() => false);
  expect(said.browser.filter((word) => word === CLIENT_HELLO)).toHaveLength(1);
  expect(said.agent.slice(0, 2)).toEqual([SERVER_HELLO, CERTIFICATE]);
  expect(said.agent).not.toContain(COOKIE_ASKED);
  expect(keysOf(browser).localKey).toEqual(keysOf(agent).remoteKey);
  expect(keysOf(browser).remoteKey).toEqual(keysOf(agent).localKey);
  // Nothing is kept for later any more.
  expect(waiting).toBe(1);
});

test("an answer that is lost is given again when the browser repeats its word, and is the same one", async () => {
  const { said, browser, agent } = await handshake((packet) => packet <= 2);
  expect(said.agent.filter((word) => word === SERVER_HELLO).length).toBeGreaterThan(1);
  expect(said.agent).not.toContain(COOKIE_ASKED);
  expect(keysOf(browser).localKey).toEqual(keysOf(agent).remoteKey);
});

test("an answer that cannot be sent is lost and no more: nobody waits for it, and the process would end", async () => {
  const unheard = vi.fn();
  process.on("unhandledRejection", unheard);
  try {
    // The first answer has five packets, and so has its repetition.
    await handshake((packet) => packet <= 7, { tells: true });
    expect(unheard).not.toHaveBeenCalled();
  } finally {
    process.off("unhandledRejection", unheard);
  }
});

test("what is no handshake and comes early is passed over: it ends neither the handshake nor the process", async () => {
  const warning = Buffer.from([21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 0]);
  const strange = [1, 2, 11, 12, 13].map((bytes) => Buffer.alloc(bytes, 22)).concat(warning, Buffer.alloc(2_000, 22));
  // A message of no bytes, and behind it a record that ends in its head.
  const cut = Buffer.alloc(30);
  cut.set([22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 12, CLIENT_HELLO]);
  const uncaught = vi.fn();
  process.on("uncaughtException", uncaught);
  try {
    const { said } = await handshake(() => false, { strange: [...strange, cut] });
    expect(said.agent).not.toContain(COOKIE_ASKED);
    expect(uncaught).not.toHaveBeenCalled();
  } finally {
    process.off("uncaughtException", uncaught);
  }
});

test("another hello begins nothing anew: the keys of a connection that stands stay as they are", async () => {
  const { said, agent, hello, hear } = await handshake(() => false);
  await vi.waitFor(() => expect(agent.connected).toBe(true), SOON);
  const keys = keysOf(agent);
  const other = Buffer.from(hello!);
  other.writeUInt8(other.readUInt8(40) ^ 1, 40);
  const words = said.agent.length;
  for (const packet of [other, hello!]) hear(packet);
  expect(agent.connected).toBe(true);
  expect(keysOf(agent)).toEqual(keys);
  expect(said.agent).toHaveLength(words);
});
