import * as z from "zod/mini";
import type { VenueCabinet } from "../../launcher/cabinets.ts";
import type { Venue } from "./venue.ts";

const Meters = z.record(z.string(), z.int());

/** What a cabinet's control reports, as far as tests read it. Minor units; `meters` by their code in hexadecimal, in credits or as SAS has them. */
const Report = z.object({
  creditsSum: z.int(),
  bet: z.int(),
  inGame: z.boolean(),
  obstacle: z.nullable(z.string()),
  meters: Meters,
});

/** A cabinet of a venue, as a person or a test beside it has it. */
export type CabinetControl = {
  report(): Promise<z.infer<typeof Report>>;
  /** Makes something happen at the machine. Rejects when it did not. */
  order(order: Readonly<Record<string, unknown>>): Promise<void>;
};

export function controlOf({ controlHref }: Pick<VenueCabinet, "controlHref">): CabinetControl {
  return {
    report: async () => z.parse(Report, await (await fetch(controlHref)).json()),
    order: async (order) => {
      const answer = await fetch(controlHref, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(order),
      });
      const { done } = z.parse(z.looseObject({ done: z.optional(z.boolean()) }), await answer.json());
      if (done !== true) throw new Error(`The cabinet did not do ${JSON.stringify(order)} (${answer.status}).`);
    },
  };
}

/** Worth of one credit of the cabinets of a floor, minor units. */
const DENOMINATION = 10;

const Sums = z.record(z.string(), z.coerce.number());

/** What the platform booked of a machine, in minor units and games. */
const BOOKED = `
  select
    (select count(*) from game where machine_id = $1) as games,
    (select coalesce(sum(stake), 0) from game where machine_id = $1) as wagered,
    (select coalesce(sum(win - hand_paid), 0) from game where machine_id = $1) as "machinePaid",
    (select coalesce(sum(amount), 0) from hand_pay where machine_id = $1 and confirmed_at is not null and kind <> 'cancelledCredits') as "handPaid",
    (select coalesce(sum(amount), 0) from hand_pay where machine_id = $1 and confirmed_at is not null and kind = 'cancelledCredits') as cancelled,
    (select coalesce(sum(amount), 0) from machine_transfer where machine_id = $1 and direction = 'cashIn') as "cashIn",
    (select coalesce(sum(amount), 0) from machine_transfer where machine_id = $1 and direction = 'cashOut') as "cashOut",
    (select coalesce(sum(balance_minor), 0) from ledger.accounts where address = 'machine:' || $1) as credit`;

/** What a cabinet's own meters say, in the same words. */
async function counted(control: CabinetControl): Promise<Record<string, number>> {
  const { meters, creditsSum } = await control.report();
  const count = (code: string): number => meters[code] ?? 0;
  const minor = (code: string): number => count(code) * DENOMINATION;
  return {
    ...{ games: count("05"), wagered: minor("00"), machinePaid: minor("01"), handPaid: minor("02") },
    ...{ cancelled: minor("03"), cashIn: count("a0"), cashOut: count("b8"), credit: creditsSum },
  };
}

/** What the books and the cabinet's own meters say of one machine since its first day. Equal once everything has come to rest. */
export async function booksAndMeters(
  { db }: Pick<Venue, "db">,
  machineId: string,
  control: CabinetControl,
): Promise<{ readonly booked: Record<string, number>; readonly counted: Record<string, number> }> {
  const { rows } = await db.pool.query(BOOKED, [machineId]);
  return { booked: z.parse(Sums, rows[0]), counted: await counted(control) };
}
