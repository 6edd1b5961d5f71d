import { expect, test, vi } from "vitest";
import type { RTCDtlsTransport } from "werift";
import { CandidatePairState, classes, Message, methods, StunOverTurnProtocol, TurnProtocol } from "werift";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { guardFromStrangers } from "./stranger-guard.ts";

const SERVER = ["192.0.2.1", 3_478] as const;
const BROWSER = ["198.51.100.7", 50_000] as const;
const CHANNEL = 0x4000;
const PASSWORD = "0123456789012345678901";

/** A place on a TURN server with a browser behind it, and what of it reaches the library. */
function relayed(type: "udp" | "tcp" = "udp") {
  const clock = fakeClock();
  const tooMuch = vi.fn();
  const checkList = [
    { remoteAddr: BROWSER, state: CandidatePairState.SUCCEEDED, requestTransactionIds: new Set<string>() },
  ];
  const ice = {
    ...{ nominated: { remoteAddr: BROWSER }, checkList, earlyChecks: [], localPassword: PASSWORD, userHistory: {} },
    ensureProtocol: () => undefined,
  };
  guardFromStrangers({ iceTransport: { connection: ice } } as unknown as RTCDtlsTransport, clock, tooMuch);
  const transport = { type, closed: false, send: async () => undefined, close: async () => undefined };
  const turn = new TurnProtocol([...SERVER], "u", "c", 600, transport as never);
  Object.assign(turn, { pinnedServerEndpoint: SERVER, addrByChannel: { [CHANNEL]: BROWSER } });
  const protocol = new StunOverTurnProtocol(turn);
  (ice.ensureProtocol as (protocol: unknown) => void)(protocol);
  const [data, checks] = [vi.fn(), vi.fn()];
  protocol.onDataReceived.subscribe(data);
  protocol.onRequestReceived.subscribe(checks);
  const receive = (packet: Buffer, from: readonly [string, number] = SERVER): void =>
    (turn as unknown as { dataReceived(packet: Buffer, from: unknown): void }).dataReceived(packet, from);
  return { clock, tooMuch, data, checks, receive };
}

function onChannel(payload: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(CHANNEL, 0);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

const passedOn = (payload: Buffer, from: readonly [string, number]): Buffer =>
  new Message(methods.DATA, classes.INDICATION).setAttribute("XOR-PEER-ADDRESS", from).setAttribute("DATA", payload)
    .bytes;
const check = (password: string): Buffer =>
  new Message(methods.BINDING, classes.REQUEST)
    .setAttribute("USERNAME", "a:b")
    .setAttribute("PRIORITY", 1)
    .addMessageIntegrity(Buffer.from(password))
    .addFingerprint().bytes;
const RECORD = Buffer.concat([Buffer.from([23, 0xfe, 0xfd]), Buffer.alloc(40)]);

test("of what a TURN server passes on, records of the browser and signed checks alone are heard", () => {
  const { data, checks, receive } = relayed();
  receive(onChannel(RECORD));
  receive(passedOn(RECORD, BROWSER));
  expect(data).toHaveBeenCalledTimes(2);
  receive(passedOn(RECORD, [BROWSER[0], 50_001]));
  receive(onChannel(Buffer.concat([RECORD, Buffer.alloc(5_000)])));
  expect(data).toHaveBeenCalledTimes(2);
  receive(onChannel(check(PASSWORD)));
  receive(onChannel(check("another password, not ours")));
  expect(checks).toHaveBeenCalledTimes(1);
});

test("nothing counts as passed on by a TURN server that another has sent to its port", () => {
  const { data, receive } = relayed();
  receive(onChannel(RECORD), [SERVER[0], 9]);
  receive(onChannel(RECORD), ["203.0.113.9", SERVER[1]]);
  receive(passedOn(RECORD, BROWSER), BROWSER);
  expect(data).not.toHaveBeenCalled();
  const stream = relayed("tcp");
  stream.receive(onChannel(Buffer.concat([RECORD, Buffer.alloc(1)])), [SERVER[0], 9]);
  expect(stream.data).toHaveBeenCalledTimes(1);
});

test.each([
  ["checks", check(PASSWORD), 400],
  ["feedback", Buffer.concat([Buffer.from([0x80, 206]), Buffer.alloc(30)]), 400],
  ["records", RECORD, 1_400],
])("a flood of %s through a TURN server is dropped before it is read, and ends the connection", (_, packet, most) => {
  const { clock, tooMuch, data, checks, receive } = relayed();
  for (let n = 0; n < 2_000; n += 1) receive(onChannel(packet));
  expect(data.mock.calls.length + checks.mock.calls.length).toBe(most);
  expect(tooMuch).not.toHaveBeenCalled();
  for (let n = 0; n < 8_000; n += 1) receive(onChannel(packet));
  expect(tooMuch).toHaveBeenCalled();
  clock.advance(1_000);
  receive(onChannel(packet));
  expect(data.mock.calls.length + checks.mock.calls.length).toBe(most + 1);
});
