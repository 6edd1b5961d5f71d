import type { EgmPress, EgmPressAnswer } from "../../ports/egm.ts";
import type { Core } from "./core.ts";
import type { Dealer } from "./game/dealer.ts";
import { JACKPOTS } from "./game/rules.ts";
import type { MachineState, OpenGame } from "./memory/state.ts";
import { JACKPOT_SCALE } from "./memory/state.ts";
import { chosen, PANEL_BUTTONS, SPIN, stakeOf, standstill, wagerRefusal } from "./panel.ts";

/** Draws the next game, with what the jackpots it hits stand at (its own share included). */
function nextGame(state: MachineState, dealer: Dealer, startedAt: number): OpenGame {
  const stake = stakeOf(state.band, state.step);
  const number = state.gamesPlayed + 1;
  const { outcome, ...dealt } = dealer.deal(number, stake);
  const jackpotWins = outcome.jackpots.map((name) => {
    const index = state.jackpots.findIndex((jackpot) => jackpot.name === name);
    const grown = (state.jackpots[index]?.scaled ?? 0) + stake * (JACKPOTS[index]?.shareBp ?? 0);
    return { name, amount: Math.floor(grown / JACKPOT_SCALE) };
  });
  return { number, stake, before: state.credit, startedAt, outcome, bonusOpen: false, jackpotWins, ...dealt };
}

async function wager(core: Core, press: EgmPress, dealer: Dealer): Promise<EgmPressAnswer> {
  if (core.pick()) return { outcome: "done" };
  const state = core.state();
  const now = core.now();
  const rules = { maxStake: core.rules.maxStake, nextGameAt: core.nextGameAt(), lockedUntil: core.lockedUntil() };
  const reason = wagerRefusal(state, press, rules, now);
  if (reason !== null) return { outcome: reason === "stakeChanged" ? "changed" : "refused", reason };
  const game = nextGame(state, dealer, now);
  await core.commit({ do: "gameStart", at: now, game });
  dealer.begun();
  core.show(game);
  return { outcome: "started", gameNumber: game.number };
}

async function select(core: Core, button: string): Promise<EgmPressAnswer> {
  const state = core.state();
  const reason = standstill(state) ?? (state.game === null ? null : "inGame");
  if (reason !== null) return { outcome: "refused", reason };
  const choice = chosen(state, button, core.rules.maxStake);
  if (choice === null) return { outcome: "ignored", reason: "atLimit" };
  await core.commit({ do: "bet", at: core.now(), ...choice });
  return { outcome: "done" };
}

/** What one press of the panel does. A memory that cannot be written refuses it as `outOfService`. */
export async function pressButton(core: Core, press: EgmPress, dealer: Dealer): Promise<EgmPressAnswer> {
  const button = PANEL_BUTTONS.find((one) => one.id === press.button);
  if (button === undefined) return { outcome: "refused", reason: "unknownButton" };
  try {
    if (button.id === SPIN) return await wager(core, press, dealer);
    if (button.kind === "select") return await select(core, button.id);
    await core.commit({ do: "attendant", at: core.now() });
    return { outcome: "done" };
  } catch {
    return { outcome: "refused", reason: "outOfService" };
  }
}
