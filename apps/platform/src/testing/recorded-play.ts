import { recordGame } from "@longarm/contract/evidence/testing/small-export";
import type { PlayedGame } from "@longarm/contract/player-record";
import { rotateAgentKey } from "../modules/play/agents/index.ts";
import { systemRandom } from "../random.ts";
import type { FakeMachine } from "./fake-machine.ts";
import type { PlayVenue } from "./play-venue.ts";

/** What an agent has recorded of one game, and may put when a clip of it is wanted. */
export type Recording = ReturnType<typeof recordGame>;

/** A player who has played at a machine that is recorded. The newest game is `game`, and `recording` what its agent has of it. */
export async function playRecorded(
  venue: PlayVenue,
  machineId: string,
  play: (machine: FakeMachine) => void = (machine) => machine.play(50),
) {
  const { machine, agent } = await venue.machine(machineId);
  const made = await rotateAgentKey(venue.db, systemRandom, { name: `agent of ${machineId}`, old: { is: "act" } });
  if (made.is === "refused") throw new Error(made.sentence);
  const player = await venue.player(`of.${machineId}`, 10_000);
  const page = await venue.page(player.token, machineId);
  await page.init();
  await page.peer.request("cashIn", { id: `cash-in-${machineId}`, amount: 5_000 });
  play(machine);
  await agent.pump();
  const { games: played } = (await venue.get("/v1/player/games", player.token)).json() as { games: PlayedGame[] };
  const [game] = played;
  if (game === undefined) throw new Error("no game was played");
  return { ...player, machineId, machine, agent, game, recording: recordingOf(game, machineId), key: made.key };
}
export type PlayedRecorded = Awaited<ReturnType<typeof playRecorded>>;

/** What the agent of a machine has recorded of a game. */
export function recordingOf(game: PlayedGame, machine: string): Recording {
  const { number: gameNumber, session, start: startedAt, end: endedAt } = game;
  const said = (figure: number | null): number => figure ?? 0;
  const [stake, win, handPaid] = [said(game.stake), said(game.win), said(game.handPaid)];
  const credits = { before: said(game.before), after: said(game.after) };
  return recordGame({ session, machine, game: { gameNumber, stake, win, handPaid, ...credits, startedAt, endedAt } });
}

/** The agent answers the wish for a clip that was sent to it last. */
export async function putRecording(venue: PlayVenue, { agent, key, recording }: PlayedRecorded): Promise<void> {
  await venue.platform.clips.look();
  const wanted = agent.clips.at(-1);
  if (wanted === undefined) throw new Error("no clip was wanted");
  const put = async (path: string, payload: Buffer | object) => {
    const type = Buffer.isBuffer(payload) ? "application/octet-stream" : "application/json";
    const headers = { authorization: `Bearer ${key}`, "content-type": type };
    const { statusCode, body } = await venue.app.inject({
      ...{ method: "PUT", url: `/agent/clips/${path}`, headers, payload },
    });
    if (statusCode !== 204) throw new Error(body);
  };
  for (const [name, bytes] of recording.files)
    await put(`${wanted.clipId}/parts/${name.replace("segments/", "")}`, Buffer.from(bytes));
  const { segments, index, chain } = recording;
  await put(wanted.clipId, { segments, index, chain, gaps: [] });
}
