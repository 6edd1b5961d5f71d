import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { WHOLE_RUN } from "./packages/link/src/testing/whole-run.ts";

/** Generous on purpose: tests wait for conditions, and a slow computer is not a fault. */
const patience = { testTimeout: 240_000, hookTimeout: 240_000 };
/** `expect.poll` gives up after a second otherwise, and a computer with much else to do needs longer. */
const patientPolls = { expect: { poll: { timeout: 60_000, interval: 50 } } };
const clean = { ...patientPolls, restoreMocks: true, unstubGlobals: true, unstubEnvs: true, allowOnly: false };

export default defineConfig({
  test: {
    maxWorkers: 2,
    tags: [{ name: "long", description: "Runs only by npm test -- all (decision 0129)." }],
    ...(!WHOLE_RUN && { tagsFilter: ["!long"] }),
    teardownTimeout: 60_000,
    // One command may name files of several projects, which have different numbers of workers: vitest runs one group after the other.
    projects: [
      {
        test: {
          ...patience,
          ...clean,
          name: "node",
          // Most files need milliseconds; a process of its own and everything read anew cost each half a second.
          isolate: false,
          sequence: { groupOrder: 0 },
          include: [
            "{packages/{contract,link,load,reels,ui/build},apps/{agent,cabinet},tooling,launcher,rig,bench,proof/!(money|markets|wallet|identity|provider)}/**/*.test.ts",
          ],
        },
      },
      {
        test: {
          ...patience,
          ...clean,
          name: "data",
          sequence: { groupOrder: 1 },
          include: [
            "{packages/{database,ledger},apps/platform,proof/{money,markets,wallet,identity,provider}}/**/*.test.ts",
          ],
          // These wait for the database more than they work; a venue of theirs has some ten of its hundred connections.
          maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
          // One embedded PostgreSQL for the whole run; each test asks it for a database of its own.
          globalSetup: ["packages/database/src/testing-setup.ts"],
          isolate: false,
        },
      },
      {
        // The same compiler as in the build, so that what is tested is what runs.
        extends: "./apps/web/vite.config.ts",
        root: "apps/web",
        test: {
          ...patience,
          ...clean,
          name: "web",
          sequence: { groupOrder: 2 },
          environment: "jsdom",
          // Each file has a world of its own all the same, in a process that stays: making jsdom anew took most of the time.
          pool: "vmForks",
          include: ["src/**/*.test.{ts,tsx}", "../../packages/ui/src/**/*.test.{ts,tsx}"],
        },
      },
      {
        extends: "./apps/console/vite.config.ts",
        root: "apps/console",
        test: {
          ...patience,
          ...clean,
          name: "console",
          sequence: { groupOrder: 2 },
          environment: "jsdom",
          pool: "vmForks",
          include: ["src/**/*.test.{ts,tsx}"],
        },
      },
      {
        test: {
          ...clean,
          name: "screens",
          sequence: { groupOrder: 3 },
          include: ["e2e/scripted/**/*.test.ts"],
          globalSetup: ["e2e/scripted/built-web.ts"],
          // The files of a worker share its browser.
          isolate: false,
          maxWorkers: Math.max(2, availableParallelism()),
          ...patience,
        },
      },
      {
        test: {
          ...clean,
          name: "e2e",
          sequence: { groupOrder: 4 },
          include: ["e2e/**/*.test.ts"],
          exclude: ["e2e/scripted/**"],
          // Each file starts a whole venue; then it mostly waits for what people would see. The files of a worker share its browser.
          isolate: false,
          maxWorkers: availableParallelism() >= 4 ? 3 : 2,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
