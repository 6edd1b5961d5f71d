/** What a meter counts: credits of the accounting denomination, minor units of the currency ("cents"), or things. */
export type MeterUnit = "credits" | "cents" | "count";

/** One meter of SAS table C-7. `bytes`: packed BCD in the answer to poll 2F; 6F states its own size. */
export type MeterShape = { readonly name: string; readonly bytes: 4 | 5; readonly unit: MeterUnit };

const credits = (name: string): MeterShape => ({ name, bytes: 4, unit: "credits" });
const count = (name: string): MeterShape => ({ name, bytes: 4, unit: "count" });
const cents = (name: string): MeterShape => ({ name, bytes: 5, unit: "cents" });

/** A pair: an amount and how many transfers made it. */
const pair = (code: number, name: string): Record<number, MeterShape> => ({
  [code]: cents(name),
  [code + 1]: count(`${name}, number of transfers`),
});

/** Codes that the driver reads by name. */
export const METER = {
  coinIn: 0x00,
  coinOut: 0x01,
  jackpot: 0x02,
  handPaidCancelled: 0x03,
  cancelledCredits: 0x04,
  gamesPlayed: 0x05,
  gamesWon: 0x06,
  billCredits: 0x0b,
  currentCredits: 0x0c,
  ticketIn: 0x15,
  ticketOut: 0x16,
  electronicIn: 0x17,
  electronicOut: 0x18,
  restrictedCredits: 0x1b,
  machinePaidPaytable: 0x1c,
  machinePaidProgressive: 0x1d,
  machinePaidBonus: 0x1e,
  attendantPaidPaytable: 0x1f,
  attendantPaidProgressive: 0x20,
  attendantPaidBonus: 0x21,
  totalWon: 0x22,
  handPaidTotal: 0x23,
  cashableIn: 0xa0,
  restrictedIn: 0xa2,
  nonRestrictedIn: 0xa4,
  cashableOut: 0xb8,
  restrictedOut: 0xba,
  nonRestrictedOut: 0xbc,
} as const;

const METERS: Readonly<Record<number, MeterShape>> = {
  0: credits("coin in"),
  1: credits("coin out"),
  2: credits("jackpot"),
  3: credits("hand-paid cancelled credits"),
  4: credits("cancelled credits"),
  5: count("games played"),
  6: count("games won"),
  7: count("games lost"),
  11: credits("credits from bills"),
  12: credits("current credits"),
  13: cents("cashable tickets in"),
  14: cents("cashable tickets out"),
  15: cents("restricted tickets in"),
  16: cents("restricted tickets out"),
  17: count("cashable tickets in, number"),
  18: count("cashable tickets out, number"),
  19: count("restricted tickets in, number"),
  20: count("restricted tickets out, number"),
  21: credits("ticket in"),
  22: credits("ticket out"),
  23: credits("electronic transfers in"),
  24: credits("electronic transfers out"),
  27: credits("restricted credits"),
  28: credits("machine-paid paytable win"),
  29: credits("machine-paid progressive win"),
  30: credits("machine-paid external bonus"),
  31: credits("attendant-paid paytable win"),
  32: credits("attendant-paid progressive win"),
  33: credits("attendant-paid external bonus"),
  34: credits("total won"),
  35: credits("total hand paid"),
  36: credits("total drop"),
  37: count("games since power-up"),
  38: count("games since door closed"),
  46: credits("regular cashable credits to the machine"),
  50: credits("regular cashable credits to the host"),
  ...Object.fromEntries(Array.from({ length: 24 }, (_, at) => [0x40 + at, count(`bills of kind ${at + 1}`)])),
  ...pair(0xa0, "cashable to the machine"),
  ...pair(0xa2, "restricted to the machine"),
  ...pair(0xa4, "non-restricted to the machine"),
  ...pair(0xa6, "debit to the machine"),
  ...pair(0xa8, "cashable to tickets"),
  ...pair(0xaa, "restricted to tickets"),
  ...pair(0xac, "debit to tickets"),
  ...pair(0xae, "bonus paid by the machine"),
  ...pair(0xb0, "bonus paid by an attendant"),
  ...pair(0xb8, "cashable to the host"),
  ...pair(0xba, "restricted to the host"),
  ...pair(0xbc, "non-restricted to the host"),
};

/** Undefined: not in the table. */
export const meterShape = (code: number): MeterShape | undefined => METERS[code];
