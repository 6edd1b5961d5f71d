import type { Notice } from "@longarm/contract/staff-tasks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Link } from "@tanstack/react-router";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { aboutOf, lookOf, titleOf } from "../../shared/tasks.ts";
import { whenText } from "../../shared/times.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./notices.module.css";

/** Where its next step is; the subject of a notification is in its task's id. */
const placeOf = ({ kind, machine, task }: Notice): string =>
  lookOf(kind).place({ machine, subject: task.slice(kind.length + 1) });

/** A notification in the list. `onLeave`: its link was followed. */
export function NoticeRow({ notice, onLeave }: { readonly notice: Notice; readonly onLeave: () => void }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue, person } = useMe();
  const { owner, open, event, rings, tone, amount } = notice;
  const ofOwner = owner?.id === person.id ? t("notices.forYou") : t("notices.has", { name: owner?.name ?? "" });
  const state = owner === null ? t("tasks.unassigned") : ofOwner;
  return (
    <li className={css["row"]} data-tone={rings ? tone : "info"} data-new={!notice.read || undefined}>
      <span className={css["kind"]}>
        <ConsoleIcon name={lookOf(notice.kind).icon} />
      </span>
      <div>
        <b>{titleOf(t, notice)}</b>
        <p>
          {amount !== null && <Money minor={amount} tone="ink" />} {aboutOf(t, notice)}
        </p>
        <p className={css["state"]}>
          {event !== "opened" && `${t(`notices.${event}`)} · `}
          {open ? state : t("notices.over")}
        </p>
        {open && <Steps notice={notice} onLeave={onLeave} />}
      </div>
      <time className="num" dateTime={notice.at}>
        {whenText(notice.at, clock.now(), venue.timeZone, language)}
      </time>
    </li>
  );
}

function Steps({ notice, onLeave }: { readonly notice: Notice; readonly onLeave: () => void }) {
  const { t } = useText();
  const mayTake = useMay("task.take");
  const online = useOnline();
  const { busy, run } = useAct();
  return (
    <div className={css["steps"]}>
      {notice.owner === null && mayTake && (
        <Key
          kind={notice.tone === "urgent" ? "brass" : "line"}
          busy={busy}
          disabled={!online}
          onClick={() =>
            void run("claimTask", {
              params: { id: notice.task },
              fields: {},
              summary: { title: "", lines: [] },
              reads: ["tasks", "notices"],
            })
          }
        >
          {t("tasks.take_it")}
        </Key>
      )}
      <Link to={placeOf(notice)} className={keyClass({ kind: "line" })} onClick={onLeave}>
        {t("notices.open")}
      </Link>
    </div>
  );
}

/** What has just come and concerns this person: over every page, until it is taken or closed. */
export function Banner({ notice, dismiss }: { readonly notice: Notice; readonly dismiss: () => void }) {
  const { t } = useText();
  const isStop = notice.tone === "stop";
  return (
    <div className={css["banner"]} data-tone={notice.tone} role={isStop ? "alert" : "status"}>
      <span className={css["kind"]}>
        <ConsoleIcon name={lookOf(notice.kind).icon} />
      </span>
      <div>
        <b>{titleOf(t, notice)}</b>
        <p>{aboutOf(t, notice)}</p>
        <Steps notice={notice} onLeave={dismiss} />
      </div>
      <Key kind="bare" icon="close" aria-label={t("notices.dismiss")} onClick={dismiss} />
    </div>
  );
}
