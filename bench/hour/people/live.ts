import type { Counts } from "../counts.ts";
import { answerDialog, goToLobby, takeMachine, watchOther, whereIs } from "./lobby.ts";
import { chooseMove, MOVES } from "./moves.ts";
import type { Person } from "./person.ts";

/** Somebody whose page is neither a game nor the lobby for so long signs in again, ms. */
const LOST_MS = 20_000;

export type LiveDeps = {
  readonly counts: Counts;
  /** Told of each thing that was done, and of what stood in its way. */
  readonly trace: (line: string) => void;
  readonly goesOn: () => boolean;
};

/** Plays until told to stop. Whatever cannot be done now is tried otherwise, as people do. */
export async function live(person: Person, { counts, trace, goesOn }: LiveDeps): Promise<void> {
  let lostAt: number | undefined;
  while (goesOn()) {
    const doing = await next(person).catch(() => undefined);
    if (doing === undefined) {
      lostAt ??= performance.now();
      await person.rest(300, 700);
      if (performance.now() - lostAt < LOST_MS) continue;
      lostAt = undefined;
      counts.add("is lost");
      trace("is lost");
      await findWay(person).catch(() => {});
      continue;
    }
    lostAt = undefined;
    counts.add(doing.name);
    trace(doing.name);
    const obstacle = await doing.go().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (obstacle === undefined) continue;
    counts.add(`${doing.name}: not possible`);
    trace(`${doing.name} not possible: ${obstacle.replaceAll(/\s+/g, " ").slice(0, 600)}`);
    await person
      .page()
      .keyboard.press("Escape")
      .catch(() => {});
    await person.rest(300, 700);
  }
}

/** To the lobby, and where it is closed over the form. */
async function findWay(person: Person): Promise<void> {
  await goToLobby(person);
  if (!new URL(person.page().url()).pathname.startsWith("/lobby")) await person.logIn();
}

async function next(person: Person): Promise<{ name: string; go(): Promise<void> } | undefined> {
  switch (await whereIs(person)) {
    case "reconnect":
      return { name: "answers the dialog", go: () => answerDialog(person) };
    case "lobby":
      return { name: "takes a machine", go: () => takeMachine(person) };
    case "watch":
      return { name: "watches", go: () => watchOther(person) };
    case "game": {
      const name = await chooseMove(person);
      return { name, go: async () => await MOVES[name]?.(person) };
    }
    default:
      return undefined;
  }
}
