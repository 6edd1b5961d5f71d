import type { Pulse } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { Face, Loaded, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import css from "./today.module.css";

/** The floor, the day's money and who is on shift, in figures. */
export function FloorPulse() {
  const { t } = useText();
  const pulse = useRead("pulse");
  return (
    <div className={css["side"]}>
      <Panel title={t("today.floor")}>
        <Loaded of={pulse}>{(now) => <Figures pulse={now} />}</Loaded>
      </Panel>
      <Panel title={t("today.money")}>
        <Loaded of={pulse}>{(now) => <Equation equation={now.equation} />}</Loaded>
      </Panel>
      <Panel title={t("today.onShift")}>
        <Loaded of={pulse}>
          {({ onShift }) => (
            <ul className={css["shift"]}>
              {onShift.map(({ person, tasks }) => (
                <li key={person.id} className={panelCss["who"]}>
                  <Face name={person.name} />
                  {person.name} {tasks > 0 && <b className="num">{tasks}</b>}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

function Figures({ pulse }: { readonly pulse: Pulse }) {
  const { t } = useText();
  const { seated, machines, watching, gamesPerMinute } = pulse;
  const last = gamesPerMinute.at(-1) ?? 0;
  const most = Math.max(1, ...gamesPerMinute);
  const points = gamesPerMinute.map((games, minute) => `${minute * 2},${30 - (games / most) * 28}`).join(" ");
  return (
    <>
      <dl className={css["figures"]}>
        <div>
          <dd className="num">
            {seated}
            <small> / {machines}</small>
          </dd>
          <dt>{t("today.seated")}</dt>
        </div>
        <div>
          <dd className="num">{watching}</dd>
          <dt>{t("today.watching")}</dt>
        </div>
        <div>
          <dd className="num">{last}</dd>
          <dt>{t("today.games")}</dt>
        </div>
      </dl>
      <svg
        className={css["spark"]}
        viewBox="0 0 118 32"
        preserveAspectRatio="none"
        role="img"
        aria-label={t("today.gamesHour", { most, last })}
      >
        <polyline points={points} />
      </svg>
    </>
  );
}

const TERMS = ["homeToWallets", "onMachines", "owed", "inSuspense"] as const;

/** The day's money as one sum, with the time at which it was last proved. */
function Equation({ equation }: { readonly equation: Pulse["equation"] }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const { provedAt, holds } = equation;
  return (
    <div className={panelCss["body"]}>
      <dl className={css["equation"]}>
        <dt>{t("today.ontoMachines")}</dt>
        <dd>
          <Money minor={equation.ontoMachines} tone="ink" />
        </dd>
        {TERMS.map((term) => (
          <div key={term}>
            <dt>− {t(`today.${term}`)}</dt>
            <dd>
              <Money minor={equation[term]} tone="ink" />
            </dd>
          </div>
        ))}
        <dt>= {t("today.platformKeeps")}</dt>
        <dd>
          <Money minor={equation.platformKeeps} />
        </dd>
      </dl>
      {provedAt !== null && (
        <Lamp status={holds === false ? "fault" : "available"}>
          {t(holds === false ? "today.doesNotAddUp" : "today.addsUp", {
            time: whenText(provedAt, clock.now(), venue.timeZone, language),
          })}
        </Lamp>
      )}
    </div>
  );
}
