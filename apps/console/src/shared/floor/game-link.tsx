import { Link } from "@tanstack/react-router";
import { useMay } from "../me.ts";
import { paths } from "../paths.ts";

/** The number of a game; for who may see questions it leads to the game's recording. */
export function GameLink({ machine, number }: { readonly machine: string; readonly number: number }) {
  const may = useMay("dispute.see");
  if (!may) return <bdi className="num soft">{number}</bdi>;
  return (
    <Link to={`${paths.games}/$machine/$number` as string} params={{ machine, number: String(number) } as never}>
      <bdi className="num">{number}</bdi>
    </Link>
  );
}
