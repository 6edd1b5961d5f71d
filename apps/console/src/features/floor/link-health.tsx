import type { FloorMachine } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Link } from "@tanstack/react-router";
import type { AnswerOf } from "../../shared/api.ts";
import { useMay } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { Facts, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useWhen } from "../../shared/use-when.ts";
import css from "./floor.module.css";

type Facet = readonly [name: string, value: React.ReactNode];

/** How the machine is reached: its agent, when its meters were last read, and what the player's picture takes. */
export function LinkHealth(props: { readonly detail: AnswerOf<"machine">; readonly machine: FloorMachine }) {
  const { t } = useText();
  const mayAgents = useMay("agent.see");
  const { delayMs, stillAt, answers } = props.machine;
  const { facts, meters } = props.detail;
  const { id, name, linked } = facts.agent;
  const { sourceDelayMs } = facts;
  const camera =
    sourceDelayMs === null ? t("floor.cameraUnmeasured") : t("floor.cameraMeasured", { ms: sourceDelayMs });
  const when = useWhen();
  const rows: readonly Facet[] = [
    [
      t("floor.agent"),
      mayAgents ? (
        <Link key="agent" to={`${paths.agents}/${id}`} className={css["link"]}>
          {name}
        </Link>
      ) : (
        name
      ),
    ],
    ...(mayAgents ? [[t("floor.agentClock"), <AgentClock key="clock" id={id} />] as const] : []),
    [t("floor.metersAt"), when(meters.at)],
    [t("floor.stillFrom"), stillAt === null ? t("floor.nothing") : when(stillAt)],
    ...(delayMs === null ? [] : [[t("floor.pictureDelay"), t("floor.delay", { ms: Math.round(delayMs) })] as const]),
    ...(sourceDelayMs === 0 ? [] : [[t("floor.cameraDelay"), camera] as const]),
  ];
  return (
    <Panel
      title={t("floor.linkTitle")}
      tools={<Lamp status={stateOf(linked, answers)}>{t(wordOf(linked, answers))}</Lamp>}
    >
      <div className={panelCss["body"]}>
        <Facts rows={rows} />
      </div>
    </Panel>
  );
}

function stateOf(linked: boolean, answers: boolean): "available" | "waiting" | "fault" {
  if (!linked) return "fault";
  return answers ? "available" : "waiting";
}

function wordOf(linked: boolean, answers: boolean): "floor.linkAway" | "floor.linkGood" | "floor.linkSilent" {
  if (!linked) return "floor.linkAway";
  return answers ? "floor.linkGood" : "floor.linkSilent";
}

/** How far the agent's clock is off, and its version, as it said with its last hello. */
function AgentClock({ id }: { readonly id: string }) {
  const { t } = useText();
  const agents = useRead("agents");
  const agent = agents.data?.rows.find((row) => row.id === id);
  if (agent === undefined) return t("floor.nothing");
  const { clockOffMs, version } = agent;
  const off = clockOffMs === null ? "–" : `${clockOffMs > 0 ? "+" : ""}${clockOffMs} ms`;
  return <span className="num">{[off, version].filter(Boolean).join(" · ")}</span>;
}
