import { onPath } from "../run.ts";
import type { Way } from "../tool.ts";

/** Installed already. */
export const lookOnPath: Way = async ({ tool, env }) =>
  onPath(tool.programs, env).map((executablePath) => ({ executablePath, env: {}, args: [...tool.args] }));
