import { textThat, wholeNumber, yesNo } from "./values.ts";

/** The name of a platform that is one process. */
export const ONLY_NODE = "main";

/** Times and limits of seats, play sessions and agents, by environment name. Times in ms. */
export const playFields = {
  /** Name of this process among the nodes of one platform; keep it over restarts, and never give it to two at once. */
  NODE_ID: textThat(ONLY_NODE, /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/, "must be 1 to 64 letters, digits or _ . : -"),
  /** How long a seat without credits is kept before its play session ends (countdown 18800). */
  NO_DEPOSIT_MS: wholeNumber(1_000, 86_400_000, 60_000),
  /** How long a player may do nothing before the countdown 18802 begins. */
  IDLE_MS: wholeNumber(1_000, 86_400_000, 120_000),
  /** How long the countdown 18802 runs. */
  IDLE_COUNT_MS: wholeNumber(1_000, 86_400_000, 60_000),
  /** How long a seat waits for a player whose game socket is gone. */
  WAITING_MS: wholeNumber(1_000, 86_400_000, 150_000),
  /** The same while a bonus waits for the player; then staff is called. */
  BONUS_WAITING_MS: wholeNumber(1_000, 86_400_000, 900_000),
  /** How long a machine with a seat may be without its agent before staff is called. */
  AGENT_AWAY_MS: wholeNumber(1_000, 86_400_000, 600_000),
  /** How often an open cash-out or an unknown transfer is tried or asked again. */
  MONEY_RETRY_MS: wholeNumber(50, 60_000, 2_000),
  /** A transfer whose outcome is open for longer calls for staff. */
  TRANSFER_ALARM_MS: wholeNumber(1_000, 3_600_000, 60_000),
  /** How often orphans of seats and money are looked for: what nobody looks after any more, or cannot move by itself. */
  ORPHAN_SWEEP_MS: wholeNumber(100, 30_000, 10_000),
  /** A seat that is kept by a game, a hand pay, a fault or its end for longer calls for staff. */
  SEAT_STUCK_ALARM_MS: wholeNumber(1_000, 86_400_000, 900_000),
  /** A call for an attendant that nobody has answered for longer is late: `longarm_calls_late` counts it, and an alert rule looks at that. */
  CALL_LATE_MS: wholeNumber(1_000, 86_400_000, 120_000),
  /** How long an agent lets presses through without a renewed grant. Renewed each third of it. */
  SEAT_LEASE_MS: wholeNumber(1_000, 600_000, 60_000),
  /**
   * How long another node believes in a node that has stopped renewing its links and game sockets. A process that has ended is found at once; this
   * is for a computer that is cut off.
   */
  NODE_LEASE_MS: wholeNumber(1_000, 600_000, 15_000),
  /** A win of at least this is written to the audit log, minor units; 0: none is. Source: GLI-19 2.8.8. */
  LARGE_WIN: wholeNumber(0, 9_000_000_000_000, 1_000_000),
  /** The same for the stake of one game, minor units; 0: none is. */
  LARGE_WAGER: wholeNumber(0, 9_000_000_000_000, 100_000),
  /** Whether a player with an empty wallet may sit down. */
  ALLOW_ZERO_BALANCE: yesNo(true),
  /** Spectators of one machine, on all nodes together; 0: nobody may watch. */
  SPECTATORS_MAX: wholeNumber(0, 1_000, 8),
  /** Machines that one account may watch at once, on all nodes together. */
  WATCHED_MAX: wholeNumber(1, 100, 2),
  /** How often a machine is asked for a still while somebody has a lobby open; the time to take and put it comes on top. */
  STILL_EVERY_MS: wholeNumber(1_000, 3_600_000, 8_000),
} as const;
