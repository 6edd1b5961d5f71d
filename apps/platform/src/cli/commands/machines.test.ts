import { expect, test } from "vitest";
import { FakeMachine } from "../../testing/fake-machine.ts";
import { longarmOf } from "../../testing/longarm.ts";
import { sharePlayVenue } from "../../testing/play-venue.ts";
import { reportAnswer } from "../staff.ts";

const venue = sharePlayVenue();

async function longarm(...args: string[]) {
  const { asked: _asked, ...answer } = await longarmOf(venue)(...args);
  return answer;
}

test("machines list shows players, states, and why a machine is not available, and which are simulated", async () => {
  expect(await longarm("machines", "list")).toEqual({ code: 0, said: "0 machines, 0 players.", complained: "" });
  const { machine, agent } = await venue.machine("cli-01");
  const { agent: other } = await venue.machine("cli-02");
  const player = await venue.player("kumru.cli", 2_000);
  const page = await venue.page(player.token, "cli-01");
  await page.init();
  await page.peer.request("cashIn", { id: "kumru-cli-in", amount: 1_250 });
  await agent.pump();
  await other.kill();
  await venue.machine("cli-03", Object.assign(new FakeMachine("cli-03"), { simulated: true }));
  await expect
    .poll(async () => (await longarm("machines", "list")).said.split("\n"))
    .toEqual([
      expect.stringMatching(/^cli-01 {2}CLI-01 {2}playing +playing {2}kumru\.cli {2}12\.50$/),
      expect.stringMatching(/^cli-02 {2}CLI-02 {2}not available +does not answer$/),
      expect.stringMatching(/^cli-03 {2}CLI-03 {2}available +simulated$/),
      "3 machines, 1 player.",
    ]);
  expect((await longarm("machines", "list", "--taken")).said.split("\n")).toHaveLength(2);
  machine.lockup = "tilt";
  machine.happen("tilt", { name: "reel 3" });
  await agent.pump();
  const trouble = (await longarm("machines", "list", "--trouble")).said;
  expect(trouble).toMatch(/cli-01 .* locked: tilt/);
  expect(trouble).toMatch(/cli-02/);
  expect(trouble).not.toMatch(/cli-03/);
  machine.lockup = undefined;
  machine.happen("tiltCleared");
  await agent.pump();
  await page.peer.request("leave", {});
});

test("simulate asks the machine's agent and says what will be seen", async () => {
  const { agent } = await venue.machine("cli-04");
  expect(await longarm("simulate", "cli-04", "door")).toEqual({ code: 0, said: "door at cli-04", complained: "" });
  expect(await longarm("simulate", "cli-04", "bonus")).toMatchObject({ code: 0 });
  expect(agent.asked.filter((one) => one.startsWith("egm.simulate"))).toEqual([
    "egm.simulate cli-04 door",
    "egm.simulate cli-04 bonus",
  ]);
  expect(await longarm("simulate", "cli-04", "jackpot")).toEqual({
    code: 3,
    said: "",
    complained: 'The machine "cli-04" has no jackpots.',
  });
  expect(await longarm("simulate", "nobody-01", "door")).toMatchObject({ code: 3 });
});

test("what an agent says stays on one line and cannot steer the terminal", async () => {
  const said: string[] = [];
  const deps = { say: (line: string) => void said.push(line) };
  const sentence = "Done.\n\u001b[2JThe hand pay hp-1 of 9000.00 is paid.\r\u202e";
  reportAnswer(deps, { is: "done", sentence });
  expect(said).toEqual(["Done. \uFFFD[2JThe hand pay hp-1 of 9000.00 is paid.\uFFFD\uFFFD"]);
  expect(() => reportAnswer(deps, { is: "refused", sentence })).toThrow(/^[^\p{C}]+$/u);
});

test("handpay confirm refuses where nothing is owed", async () => {
  await venue.machine("cli-05");
  expect(await longarm("handpay", "confirm", "cli-05")).toMatchObject({
    code: 3,
    complained: "The machine cli-05 owes no hand pay.",
  });
});

test.each<[string, string[]]>([
  ["no machine", ["simulate"]],
  ["no event", ["simulate", "cli-04"]],
  ["a third word", ["simulate", "cli-04", "door", "tilt"]],
  ["an unknown event", ["simulate", "cli-04", "explosion"]],
  ["a prototype as an event", ["simulate", "cli-04", "__proto__"]],
  ["words behind an option", ["simulate", "--as-root", "me", "cli-04", "door"]],
  ["an empty reason", ["simulate", "cli-04", "door", "--as-root", " "]],
  ["a reason that moves the cursor", ["simulate", "cli-04", "door", "--as-root", "\u001b[2J"]],
  ["a reason without end", ["simulate", "cli-04", "door", "--as-root", "x".repeat(201)]],
  ["no machine to confirm", ["handpay", "confirm"]],
  ["half a command", ["handpay"]],
  ["a word too much", ["machines", "list", "all"]],
])("%s is answered with what to write", async (_name, args) => {
  const answer = await longarm(...args);
  expect(answer).toMatchObject({ code: 2, said: "" });
  expect(answer.complained).toMatch(/^[^\n]+$/);
  expect(answer.complained).not.toContain("\u001b");
});

test.each([["simulate"], ["handpay confirm"], ["machines list"]])("%s explains itself", async (words) => {
  const help = await longarm(...words.split(" "), "--help");
  expect(help).toMatchObject({ code: 0, complained: "" });
  expect(help.said).toContain(`longarm ${words}`);
});
