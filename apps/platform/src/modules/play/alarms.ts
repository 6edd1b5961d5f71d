import { sql } from "kysely";
import type { Clock } from "../../clock.ts";
import type { AnyDb } from "../../deps.ts";
import type { Log } from "../../log.ts";

/** The same alarm is reported again after this long, ms. */
const AGAIN_MS = 60_000;
/** What is remembered at most; beyond it the oldest alarm may be reported again early. */
const KEPT_MAX = 1_000;

/** Alarms whose cause other rows say, such as a transfer without an outcome, or an entry of the audit log. */
type StatedAlarm =
  | "transfer"
  | "reconciliation"
  | "discrepancy"
  | "game"
  | "handPay"
  | "audit"
  | "clock"
  | "bus"
  | "delivery"
  | "wallet"
  | "provider"
  | "settings"
  | "register";
/** Alarms that would be lost with the process: each has a row (`migrations/calls`). */
export const KEPT_ALARMS = [
  "seat",
  "credits",
  "moved",
  "orphan",
  "restored",
  "events",
  "recording",
  "evidence",
] as const;
export type KeptAlarm = (typeof KEPT_ALARMS)[number];
export type AlarmName = StatedAlarm | KeptAlarm;

type NewAlarm = {
  readonly alarm: KeptAlarm;
  /** `machine:nar-01`, `hold:tr_…`, `session:ps_…`, `node:main`: one alarm of a kind is open for each. */
  readonly subject: string;
  readonly machineId?: string;
  /** For the log and for staff. Ages belong into `log`. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly sentence: string;
  /** Further fields of the log line. */
  readonly log?: object;
};

/** Reports to staff: an error in the log with the field `alarm`, for the same subject at most once a minute. */
export class Alarms {
  readonly #clock: Pick<Clock, "now">;
  readonly #log: Log;
  readonly #told = new Map<string, number>();

  constructor({ clock, log }: { readonly clock: Pick<Clock, "now">; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Reports an alarm whose cause other rows say. `subject` names what it is about: a transfer, a day. */
  raise(alarm: StatedAlarm, subject: string, facts: object, sentence: string): void {
    this.#report(alarm, subject, facts, sentence);
  }

  /** Reports an alarm and keeps it in the given transaction, once for its subject until it is closed. */
  async keep(db: AnyDb, { alarm, subject, machineId, facts, sentence, log }: NewAlarm): Promise<void> {
    await sql`insert into alarm as a (alarm, subject, machine_id, facts)
      values (${alarm}, ${subject}, ${machineId ?? null}, ${JSON.stringify(facts)}::jsonb)
      on conflict (alarm, subject) where closed_at is null do update set facts = excluded.facts
      where a.facts is distinct from excluded.facts`.execute(db);
    this.#report(alarm, `${subject} ${JSON.stringify(facts)}`, { ...facts, ...log }, sentence);
  }

  #report(alarm: AlarmName, subject: string, facts: object, sentence: string): void {
    const key = `${alarm} ${subject}`;
    const now = this.#clock.now();
    const last = this.#told.get(key);
    if (last !== undefined && now - last < AGAIN_MS) return;
    this.#told.delete(key);
    this.#told.set(key, now);
    const [oldest] = this.#told.keys();
    if (this.#told.size > KEPT_MAX && oldest !== undefined) this.#told.delete(oldest);
    this.#log.error({ alarm, ...facts }, sentence);
  }
}

export type OpenAlarm = {
  readonly id: number;
  readonly alarm: KeptAlarm;
  readonly subject: string;
  readonly machineId: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly since: Date;
};

/** Alarms that are open, oldest first: not those whose cause is gone, which `closePastAlarms` closes. */
export async function openAlarms(db: AnyDb): Promise<OpenAlarm[]> {
  const { rows } =
    await sql<OpenAlarm>`select a.id, a.alarm, a.subject, a.machine_id as "machineId", a.facts, a.raised_at as since
    from alarm a where a.closed_at is null and not (${isPast}) order by a.id limit 500`.execute(db);
  return rows;
}

/** The seat left the state that it was reported for; the credits of a free machine have an owner, or are gone. */
const isPast = sql<boolean>`(a.alarm = 'seat' and not exists (
    select from seat s where s.machine_id = a.machine_id and s.state = a.facts ->> 'state'))
  or (a.alarm = 'credits' and not exists (
    select from seat s join machine m on m.id = s.machine_id
    where m.id = a.machine_id and s.state = 'free' and (m.meters ->> 'credit')::bigint <> 0))`;

/** Closes the alarms whose cause is gone, so that the next one of their subject is a new one. */
export async function closePastAlarms(db: AnyDb): Promise<void> {
  await sql`update alarm as a set closed_at = clock_timestamp() where a.closed_at is null and (${isPast})`.execute(db);
}

/** Closes one alarm: a person says that it is settled, or what it reported is over. */
export async function closeAlarm(db: AnyDb, alarm: KeptAlarm, subject: string): Promise<void> {
  await sql`update alarm set closed_at = clock_timestamp()
    where alarm = ${alarm} and subject = ${subject} and closed_at is null`.execute(db);
}
