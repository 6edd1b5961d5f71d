import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMay, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller, Tag } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useWhen } from "../../shared/use-when.ts";
import css from "./agents.module.css";
import type { AgentRow, KeyAct } from "./key-sheet.tsx";
import { KeySheet } from "./key-sheet.tsx";

const DAY_MS = 86_400_000;
/** A key that is older should be changed, days. */
const OLD_KEY_DAYS = 365;
/** More than this the platform refuses; half of it is worth a look, ms. */
const CLOCK_OFF_MS = 1_000;

/** The programs beside the machines, with their links and keys. */
export function AgentsPage() {
  const { t } = useText();
  const { id } = useParams({ strict: false }) as { readonly id?: string };
  const agents = useRead("agents");
  const [open, setOpen] = useState<KeyAct>();
  const rows = agents.data?.rows ?? [];
  const shown = rows.find((agent) => agent.id === id) ?? rows.find(isTrouble) ?? rows[0];
  const linked = rows.filter((agent) => agent.linked).length;
  return (
    <Page title={t("app.agents")} about={agents.data && t("agents.linkedCount", { count: rows.length, linked })}>
      <Agents agents={agents} shown={shown} open={setOpen} />
      {shown !== undefined && <Keys agent={shown} open={setOpen} />}
      <KeySheet act={open} close={() => setOpen(undefined)} />
    </Page>
  );
}

const isTrouble = (agent: AgentRow): boolean => agent.revokedAt === null && !agent.linked && agent.machines.length > 0;

/** The machines from the first to the last; all of a few. */
function machinesText(machines: readonly string[]): string {
  if (machines.length === 0) return "–";
  return machines.length <= 2 ? machines.join(", ") : `${machines[0]} … ${machines.at(-1)}`;
}

function Agents(props: {
  readonly agents: ReturnType<typeof useRead<"agents">>;
  readonly shown: AgentRow | undefined;
  readonly open: (act: KeyAct) => void;
}) {
  const { t } = useText();
  const manages = useMay("agent.manage");
  const online = useOnline();
  return (
    <Panel
      title={t("agents.agents")}
      about={t("agents.about")}
      tools={
        manages && (
          <Key kind="brass" icon="plus" disabled={!online} onClick={() => props.open({ is: "enrol" })}>
            {t("agents.enrol")}
          </Key>
        )
      }
    >
      <Loaded of={props.agents}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t("agents.none")} body={t("agents.noneAbout")} />
          ) : (
            <Scroller>
              <table className={panelCss["table"]}>
                <thead>
                  <tr>
                    <th scope="col">{t("agents.name")}</th>
                    <th scope="col" className={css["rest"]}>
                      {t("agents.machines")}
                    </th>
                    <th scope="col" data-number>
                      {t("agents.links")}
                    </th>
                    <th scope="col">{t("agents.link")}</th>
                    <th scope="col" data-number className={css["rest"]}>
                      {t("agents.clock")}
                    </th>
                    <th scope="col" data-number className={css["rest"]}>
                      {t("agents.version")}
                    </th>
                    <th scope="col" data-number>
                      {t("agents.keyAge")}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((agent) => (
                    <Row key={agent.id} agent={agent} isShown={agent.id === props.shown?.id} />
                  ))}
                </tbody>
              </table>
            </Scroller>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Row({ agent, isShown }: { readonly agent: AgentRow; readonly isShown: boolean }) {
  const { t } = useText();
  const { clock } = useConsole();
  const age = agent.keys[0] && Math.floor((clock.now() - Date.parse(agent.keys[0].madeAt)) / DAY_MS);
  const { clockOffMs } = agent;
  const off = clockOffMs === null ? "–" : `${clockOffMs > 0 ? "+" : ""}${clockOffMs} ms`;
  return (
    <tr data-chosen={isShown || undefined} data-ended={agent.revokedAt !== null || undefined} className={css["row"]}>
      <td>
        <Link
          to={`${paths.agents}/$id` as string}
          params={{ id: agent.id } as never}
          aria-current={isShown || undefined}
          className={css["name"]}
        >
          {agent.name}
        </Link>
      </td>
      <td className={`soft ${css["rest"]}`}>
        <span className="ltr">{machinesText(agent.machines)}</span>
      </td>
      <td data-number>
        {agent.links} / {agent.machines.length}
      </td>
      <td>
        <LinkState agent={agent} />
      </td>
      <td data-number className={css["rest"]}>
        <span className="ltr">
          {clockOffMs !== null && Math.abs(clockOffMs) > CLOCK_OFF_MS ? <Tag kind="wait">{off}</Tag> : off}
        </span>
      </td>
      <td data-number className={css["rest"]}>
        {agent.version ?? "–"}
      </td>
      <td data-number>
        {age !== undefined && age > OLD_KEY_DAYS ? <Tag kind="wait">{age}</Tag> : (age ?? "–")}
        {agent.keys.length > 1 && <small className={css["second"]}>{t("agents.twoKeys")}</small>}
      </td>
    </tr>
  );
}

function LinkState({ agent }: { readonly agent: AgentRow }) {
  const { t } = useText();
  const when = useWhen();
  if (agent.revokedAt !== null)
    return <Lamp status="off">{t("agents.revokedAt", { time: when(agent.revokedAt) })}</Lamp>;
  if (agent.linked && agent.linkedAt !== null)
    return <Lamp status="available">{t("agents.linkedSince", { time: when(agent.linkedAt) })}</Lamp>;
  if (agent.links > 0) return <Lamp status="waiting">{t("agents.partly")}</Lamp>;
  if (agent.seenAt === null) return <Lamp status="off">{t("agents.neverSeen")}</Lamp>;
  return <Lamp status="waiting">{t("agents.awaySince", { time: when(agent.seenAt) })}</Lamp>;
}

/** The keys of one agent that hold, and what may be done with them. */
function Keys({ agent, open }: { readonly agent: AgentRow; readonly open: (act: KeyAct) => void }) {
  const { t } = useText();
  const manages = useMay("agent.manage");
  const online = useOnline();
  const when = useWhen();
  return (
    <Panel title={t("agents.keysOf", { name: agent.name })} foot={t("agents.keysAbout")}>
      {agent.keys.length === 0 ? (
        <p className={panelCss["body"]}>{t("agents.noKey")}</p>
      ) : (
        <ul className={css["keys"]}>
          {agent.keys.map((key, at) => (
            <li key={key.id}>
              <span>
                <b>{t(at === 0 ? "agents.newest" : "agents.older")}</b>
                <code className="ltr">{key.id}</code>
                {key.reason !== "" && <small>{key.reason}</small>}
              </span>
              <span className="soft">{t("agents.madeAt", { time: when(key.madeAt) })}</span>
              <span className="soft">
                {key.lastUsedAt === null ? t("agents.unused") : t("agents.usedAt", { time: when(key.lastUsedAt) })}
              </span>
              {key.endsAt === null ? (
                <Lamp status="available">{t("agents.noEnd")}</Lamp>
              ) : (
                <Lamp status="waiting">{t("agents.endsAt", { time: when(key.endsAt) })}</Lamp>
              )}
              {manages && agent.keys.length > 1 && (
                <Key
                  kind="line"
                  disabled={!online}
                  aria-label={t("agents.endKeyOf", { name: agent.name, key: key.id })}
                  onClick={() => open({ is: "end", agent, keyId: key.id })}
                >
                  {t("agents.endKey")}
                </Key>
              )}
            </li>
          ))}
        </ul>
      )}
      {manages && (
        <div className={css["acts"]}>
          <Key kind="line" disabled={!online} onClick={() => open({ is: "rotate", agent })}>
            {t("agents.rotate")}
          </Key>
          {agent.revokedAt === null && (
            <Key kind="danger" disabled={!online} onClick={() => open({ is: "revoke", agent })}>
              {t("agents.revoke")}
            </Key>
          )}
        </div>
      )}
    </Panel>
  );
}
