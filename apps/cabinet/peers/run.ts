// `node apps/cabinet/peers/run.ts saspy|sas_comm_py`: a SAS host that we did not write drives the cabinet. Its folder is named by a setting.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readOptions } from "../src/options.ts";
import type { RunningCabinet } from "../src/program.ts";
import { startCabinet } from "../src/program.ts";
import { fromHex, hex, withCrc } from "../src/sas/bytes.ts";
import { PEERS } from "./peers.ts";

/** One call of the peer's, as `drive.py` reports it. `sent`: bytes in hexadecimal, each with the ninth bit set followed by a star. */
type Outcome = { call: string; value?: unknown; error?: string; sent: string; received: string };
/** `poll`: the message that has to be on the wire, from its command, without CRC. */
type Call = {
  readonly name: string;
  readonly args?: readonly unknown[];
  readonly keywords?: Readonly<Record<string, unknown>>;
  /** Null: a general poll. */
  readonly poll: string | null;
  readonly crc?: boolean;
  /** Whether the peer's own reading is right. Absent: its reading is known to be wrong or to fail, and only the bytes count. */
  readonly reads?: (value: unknown, meters: Readonly<Record<string, number>>) => boolean;
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const meter = (meters: Readonly<Record<string, number>>, code: string): number => meters[code] ?? 0;
const equals =
  (code: string, worth = 1) =>
  (value: unknown, meters: Readonly<Record<string, number>>): boolean =>
    Math.abs(Number(value) - meter(meters, code) * worth) < 0.001;
const field =
  (name: string, code: string, worth = 1) =>
  (value: unknown, meters: Readonly<Record<string, number>>): boolean =>
    equals(code, worth)((value as Record<string, unknown> | null)?.[name], meters);
const all =
  (...checks: NonNullable<Call["reads"]>[]): NonNullable<Call["reads"]> =>
  (value, meters) =>
    checks.every((check) => check(value, meters));
const isTrue = (value: unknown): boolean => value === true;

/** Credits of the cabinet are worth 0.10; this host multiplies with the worth that it read by long poll 1F. */
const WORTH = 0.1;
const SASPY: readonly Call[] = [
  { name: "gaming_machine_id", poll: "1f", crc: false, reads: (value) => value === WORTH },
  // Sends one byte more than the poll has, and reads 6.02 as 3630.32.
  { name: "sas_version_gaming_machine_serial_id", poll: "5400", crc: false },
  { name: "current_credits", poll: "1a", crc: false, reads: equals("0c", WORTH) },
  { name: "current_credits", args: [false], poll: "1a", crc: false, reads: equals("0c") },
  {
    name: "send_meters_10_15",
    args: [false],
    poll: "0f",
    crc: false,
    reads: all(field("total_in_meter", "00"), field("total_out_meter", "01"), field("games_played_meter", "05")),
  },
  { name: "total_cancelled_credits", args: [false], poll: "10", crc: false, reads: equals("04") },
  { name: "total_bet_meter", args: [false], poll: "11", crc: false, reads: equals("00") },
  { name: "total_win_meter", args: [false], poll: "12", crc: false, reads: equals("01") },
  { name: "total_drop_meter", args: [false], poll: "13", crc: false, reads: equals("24") },
  { name: "total_jackpot_meter", args: [false], poll: "14", crc: false, reads: equals("02") },
  { name: "games_played_meter", poll: "15", crc: false, reads: equals("05") },
  { name: "games_lost_meter", poll: "17", crc: false, reads: equals("07") },
  {
    name: "meters_11_15",
    args: [false],
    poll: "19",
    crc: false,
    reads: all(field("total_bet_meter", "00"), field("total_win_meter", "01"), field("games_played_meter", "05")),
  },
  {
    name: "total_bill_meters",
    poll: "1e",
    crc: false,
    reads: all(field("s20_bills_accepted_meter", "44"), field("s100_bills_accepted_meter", "47")),
  },
  { name: "send_20_bills_in_meters", poll: "35", crc: false },
  { name: "total_dollar_value_of_bills_meter", poll: "20", crc: false, reads: (value) => Number(value) === 120 },
  { name: "credit_amount_of_all_bills_accepted", poll: "46", crc: false },
  { name: "total_number_of_games_implemented", poll: "51", crc: false },
  { name: "game_meters", args: [1, false], poll: "520001", reads: field("game_n_coin_in_meter", "00") },
  { name: "selected_game_number", args: [false], poll: "55", crc: false, reads: (value) => value === 1 },
  { name: "current_date_time", poll: "7e", crc: false },
  { name: "shutdown", poll: "01", reads: isTrue },
  { name: "startup", poll: "02", reads: isTrue },
  { name: "disable_bill_acceptor", poll: "07", reads: isTrue },
  { name: "enable_bill_acceptor", poll: "06", reads: isTrue },
  { name: "remote_handpay_reset", poll: "94" },
  { name: "aft_register_gaming_machine", poll: "7301ff" },
  { name: "aft_register", poll: `731d01e9030000${"00".repeat(20)}b374a402` },
  { name: "aft_unregister", poll: `731d80e9030000${"00".repeat(20)}b374a402` },
  { name: "aft_get_last_trx", poll: "7202ff00" },
  { name: "en_dis_rt_event_reporting", args: [true], poll: "0e01" },
  { name: "events_poll", poll: null },
];

const r = (command: number, length: number, keywords: Record<string, unknown> = {}): Partial<Call> => ({
  name: "write_type_R",
  args: [command],
  keywords: { length_to_read: length, ...keywords },
  crc: false,
});
/** A reading of this host's: address, command, data and CRC as texts of two digits. */
const bytesOf = (value: unknown): string => (value as string[]).join("");
const bcdAt =
  (code: string, at = 4) =>
  (value: unknown, meters: Readonly<Record<string, number>>): boolean =>
    Number(bytesOf(value).slice(at, at + 8)) === meter(meters, code);
/** 100.00 in full to the machine, with the id P1. */
const TRANSFER = `0000000000010000${"00".repeat(10)}00e9030000${"00".repeat(20)}02503100000000000000${"0000"}`;
const TRANSFERRED = 10_000;
const SAS_COMM_PY: readonly Call[] = [
  { ...r(0x1a, 4), poll: "1a", reads: bcdAt("0c") } as Call,
  { ...r(0x0f, 24), poll: "0f", reads: all(bcdAt("00", 12), bcdAt("01", 20), bcdAt("05", 44)) } as Call,
  { ...r(0x11, 4), poll: "11", reads: bcdAt("00") } as Call,
  { ...r(0x15, 4), poll: "15", reads: bcdAt("05") } as Call,
  { ...r(0x1f, 20), poll: "1f", reads: (value: unknown) => bytesOf(value).slice(14, 16) === "03" } as Call,
  { ...r(0x51, 2), poll: "51", reads: (value: unknown) => bytesOf(value).slice(4, 8) === "0001" } as Call,
  { ...r(0x55, 2), poll: "55", reads: (value: unknown) => bytesOf(value).slice(4, 8) === "0001" } as Call,
  { ...r(0x7e, 7), poll: "7e", reads: (value: unknown) => /^017e\d{14}/.test(bytesOf(value)) } as Call,
  {
    name: "write_type_M",
    args: [0x2f],
    keywords: { optional_data: [0x00, 0x05], add_length_binary: true },
    poll: "2f0400000005",
    reads: all(bcdAt("00", 12), bcdAt("05", 22)),
  },
  {
    name: "write_type_M",
    args: [0x6f],
    keywords: { optional_data: [0x00, 0x00, 0x0b, 0x00], add_length_binary: true },
    poll: "6f06000000000b00",
    reads: all(bcdAt("00", 16), bcdAt("0b", 30)),
  },
  {
    name: "write_type_S",
    args: [0x74],
    keywords: { optional_data: [0xff, 0, 0, 0], following_length: true },
    poll: "74ff000000",
    reads: (value, meters) => Number(bytesOf(value).slice(24, 34)) === meter(meters, "0c") * 10,
  },
  {
    name: "write_type_S",
    args: [0x73],
    keywords: { optional_data: [0xff], add_length_binary: true, following_length: true },
    poll: "7301ff",
    reads: (value) => bytesOf(value).slice(8, 16) === "e9030000",
  },
  {
    name: "write_type_S",
    args: [0x72],
    keywords: { optional_data: [...fromHex(TRANSFER)], add_length_binary: true, following_length: true },
    poll: `72${hex([TRANSFER.length / 2])}${TRANSFER}`,
    reads: (value) => bytesOf(value).slice(6, 10) === "0040",
  },
  { ...r(0x1a, 4), poll: "1a" } as Call,
  {
    name: "write_type_S",
    args: [0x72],
    keywords: { optional_data: [0xff, 0x00], add_length_binary: true, following_length: true },
    poll: "7202ff00",
    reads: (value) => /^00(40|00)$/.test(bytesOf(value).slice(6, 10)),
  },
];

const CALLS: Readonly<Record<string, readonly Call[]>> = { saspy: SASPY, sas_comm_py: SAS_COMM_PY };

/** How each host begins a message: the bytes before the command, with their ninth bits. */
function wireOf(peer: string, { poll, crc = true }: Call): string {
  if (poll === null) return "82*81*";
  const message = [0x01, ...fromHex(poll)];
  const body = (crc ? withCrc(message) : message).slice(1);
  if (peer === "saspy") return `82*01*${hex(body)}`;
  // Even parity throughout, and a byte 80 as its wakeup.
  const odd = (byte: number): boolean => byte.toString(2).replaceAll("0", "").length % 2 === 1;
  return [0x80, 0x01, ...body].map((byte) => `${hex([byte])}${odd(byte) ? "*" : ""}`).join("");
}

/** A machine with bills in it and a finished game, so that its meters are not zero. */
async function prepare({ powered }: RunningCabinet): Promise<void> {
  powered.order({ do: "bill", value: 100 });
  powered.order({ do: "bill", value: 20 });
  powered.press("spin");
  await until(() => powered.report()["inGame"] === false);
}

/** The step's own limit ends a wait that never ends. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function drive(peer: string, folder: string): Promise<boolean> {
  const calls = CALLS[peer] ?? [];
  const data = mkdtempSync(join(tmpdir(), "longarm-peer-"));
  const ports = ["--sas", "0", "--buttons", "0", "--control", "0", "--screen", "none", "--cycle", "100"];
  const options = readOptions(["--data", data, ...ports, ...(peer === "saspy" ? [] : ["--parity"])]);
  if (options === "help") throw new Error("no help was wanted");
  const clock = {
    now: () => performance.timeOrigin + performance.now(),
    after: (delayMs: number, run: () => void) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
  const cabinet = await startCabinet(options, clock, say);
  try {
    await prepare(cabinet);
    const script = join(import.meta.dirname, "drive.py");
    const child = spawn("python3", [script, peer, folder, String(cabinet.ports.sas)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.end(JSON.stringify(calls.map(({ name, args = [], keywords = {} }) => [name, args, keywords])));
    const meters = cabinet.powered.report()["meters"] as Record<string, number>;
    let [at, wrong] = [-1, 0];
    for await (const text of createInterface(child.stdout)) {
      const outcome = JSON.parse(text) as Outcome;
      const call = calls[at];
      const faults = call === undefined ? [] : judge(peer, call, outcome, meters);
      at += 1;
      wrong += faults.length;
      say(lineOf(outcome, call, faults));
    }
    if (at !== calls.length) say(`${peer} ended after ${at} of ${calls.length} calls.`);
    if (peer === "sas_comm_py") {
      await until(() => meter(cabinet.powered.report()["meters"] as Record<string, number>, "a0") === TRANSFERRED);
      say(`ok   the machine has booked the transfer of ${TRANSFERRED / 100}.00`);
    }
    say(`${peer}: ${at} calls, ${wrong} faults.`);
    return at === calls.length && wrong === 0;
  } finally {
    await cabinet.close();
    rmSync(data, { recursive: true, force: true });
  }
}

function judge(
  peer: string,
  call: Call,
  { sent, received, value, error }: Outcome,
  meters: Record<string, number>,
): string[] {
  const wire = wireOf(peer, call);
  const reads = call.reads === undefined || (error === undefined && call.reads(value, meters));
  return [
    ...(sent === wire ? [] : [`sent ${sent} instead of ${wire}`]),
    ...(received === "" ? ["no answer"] : []),
    ...(reads ? [] : [`reads ${JSON.stringify(value)} ${error ?? ""}`]),
  ];
}

function lineOf(
  { call, sent, received, error }: Outcome,
  expected: Call | undefined,
  faults: readonly string[],
): string {
  const note =
    expected !== undefined && expected.reads === undefined
      ? ` (only the bytes count${error === undefined ? "" : `: ${error}`})`
      : "";
  return `${faults.length === 0 ? "ok  " : "FAIL"} ${call.padEnd(38)} ${sent} -> ${received}${note}${faults.map((fault) => `\n     ${fault}`).join("")}`;
}

const peer = process.argv[2] ?? "";
const setting = PEERS[peer];
const folder = setting === undefined ? undefined : process.env[setting];
if (setting === undefined || folder === undefined) {
  say(`Say one of ${Object.keys(PEERS).join(", ")}, and name its folder in ${Object.values(PEERS).join(" or ")}.`);
  process.exit(2);
}
process.exit((await drive(peer, folder)) ? 0 : 1);
