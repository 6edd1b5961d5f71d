import type { Approval } from "@longarm/contract/staff-people";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Link, useParams } from "@tanstack/react-router";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { whenText } from "../../shared/times.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ApprovalDetail } from "./approval-detail.tsx";
import css from "./approvals.module.css";
import { useSentence } from "./sentence.ts";
import { TimeLeft } from "./time-left.tsx";

/** What waits for a second person, what one has requested oneself, and what was decided. */
export function ApprovalsPage() {
  const { t } = useText();
  const { id } = useParams({ strict: false }) as { readonly id?: string };
  const forMe = useRead("approvals", { query: { which: "forMe" } });
  const mine = useRead("approvals", { query: { which: "mine" } });
  const decided = useRead("approvals", { query: { which: "decided" } });
  const toSign = forMe.data?.rows.filter(({ maySign }) => maySign).length;
  const first = forMe.data?.rows[0]?.id ?? mine.data?.rows.find(({ state }) => state === "waiting")?.id;
  const shown = id ?? first;
  return (
    <Page
      title={t("app.approvals")}
      about={toSign === undefined ? undefined : t("approvals.forYou", { count: toSign })}
    >
      <div className={css["page"]} data-chosen={id !== undefined || undefined}>
        <div className={css["lists"]}>
          <List title={t("approvals.waiting")} of={forMe} at={shown} empty={t("approvals.none")} />
          <List title={t("approvals.mine")} of={mine} at={shown} empty={t("approvals.noneOfMine")} />
          <List title={t("approvals.decided")} of={decided} at={shown} empty={t("approvals.noneDecided")} />
        </div>
        {shown === undefined ? <NothingChosen /> : <ApprovalDetail key={shown} id={shown} />}
      </div>
    </Page>
  );
}

function NothingChosen() {
  const { t } = useText();
  const { person } = useMe();
  // A new person begins here, and sees no other page yet.
  const words = person.roles.length === 0 ? "noRoles" : "nothing";
  return (
    <Panel title={t("approvals.one")}>
      <Empty title={t(`approvals.${words}`)} body={t(`approvals.${words}About`)} />
    </Panel>
  );
}

function List(props: {
  readonly title: string;
  readonly of: ReturnType<typeof useRead<"approvals">>;
  readonly at: string | undefined;
  readonly empty: string;
}) {
  return (
    <Panel title={props.title}>
      <Loaded of={props.of}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p className={css["none"]}>{props.empty}</p>
          ) : (
            <ul>
              {rows.map((row) => (
                <Row key={row.id} row={row} isAt={row.id === props.at} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

const LAMPS: Record<Approval["state"], LampStatus> = {
  waiting: "waiting",
  done: "available",
  refused: "fault",
  expired: "off",
  changed: "off",
  withdrawn: "off",
};

function Row({ row, isAt }: { readonly row: Approval; readonly isAt: boolean }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const sentence = useSentence(row);
  const people = [row.requestedBy.name, row.decidedBy?.name].filter((name) => name !== undefined).join(", ");
  return (
    <li>
      <Link
        to={`${paths.approvals}/$id` as string}
        params={{ id: row.id } as never}
        className={css["row"]}
        aria-current={isAt || undefined}
      >
        <ConsoleIcon name="approvals" />
        <span>
          <b>{sentence}</b>
          <small>{people}</small>
          {row.state !== "waiting" && (
            <small>
              <Lamp status={LAMPS[row.state]}>{t(`approvals.${row.state}`)}</Lamp>
            </small>
          )}
        </span>
        <span className={css["end"]}>
          {row.amount !== null && <Money minor={row.amount} tone="ink" />}
          {row.state === "waiting" ? (
            <TimeLeft until={row.expiresAt} />
          ) : (
            <small className="num">
              {whenText(row.decidedAt ?? row.expiresAt, clock.now(), venue.timeZone, language)}
            </small>
          )}
        </span>
      </Link>
    </li>
  );
}
