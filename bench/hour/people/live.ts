import type { Counts } from "../counts.ts";
import { answerDialog, takeMachine, whereIs } from "./lobby.ts";
import { chooseMove, MOVES } from "./moves.ts";
import type { Person } from "./person.ts";

/** Somebody whose page is neither a game nor the lobby for so long signs in again, ms. */
const LOST_MS = 20_000;

/** Plays until told to stop. Whatever cannot be done now is tried otherwise, as people do. */
export async function live(person: Person, counts: Counts, goesOn: () => boolean): Promise<void> {
  let lostAt: number | undefined;
  while (goesOn()) {
    const doing = await next(person).catch(() => undefined);
    if (doing === undefined) {
      lostAt ??= performance.now();
      await person.rest(300, 700);
      if (performance.now() - lostAt < LOST_MS) continue;
      lostAt = undefined;
      counts.add("signs in again");
      await person.logIn().catch(() => {});
      continue;
    }
    lostAt = undefined;
    counts.add(doing.name);
    const failed = await doing.go().then(
      () => false,
      () => true,
    );
    if (!failed) continue;
    counts.add(`${doing.name}: not possible`);
    await person
      .page()
      .keyboard.press("Escape")
      .catch(() => {});
    await person.rest(300, 700);
  }
}

async function next(person: Person): Promise<{ name: string; go(): Promise<void> } | undefined> {
  switch (await whereIs(person)) {
    case "reconnect":
      return { name: "answers the dialog", go: () => answerDialog(person) };
    case "lobby":
      return { name: "takes a machine", go: () => takeMachine(person) };
    case "game": {
      const name = await chooseMove(person);
      return { name, go: async () => await MOVES[name]?.(person) };
    }
    default:
      return undefined;
  }
}
