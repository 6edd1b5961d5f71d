import type { SimulatedEvent } from "@longarm/contract/machine";
import { SIMULATED_EVENTS } from "@longarm/contract/machine";
import type { FloorMachine } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMay, useOnline } from "../../shared/me.ts";
import { Panel, panelCss } from "../../shared/ui/panel.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./floor.module.css";

/** Makes something happen at a simulated machine, to practise what to do. A real machine has no such panel. */
export function MakeHappen({ machine }: { readonly machine: FloorMachine }) {
  const { t } = useText();
  const { messages } = useConsole();
  const online = useOnline();
  const may = useMay("machine.simulate");
  const { busy, run } = useAct();
  const [what, setWhat] = useState<SimulatedEvent>("door");
  if (!may || !machine.simulated) return null;
  async function send(): Promise<void> {
    const answer = await run("simulate", {
      params: { id: machine.id },
      fields: { what },
      summary: { title: t("floor.makeHappen"), lines: [[t("floor.machine"), machine.name]] },
      reads: ["machine", "floor", "machineEvents"],
    });
    if (answer?.is === "done") messages.say("good", t("floor.made", { what: t(`floor.event_${what}`) }));
  }
  return (
    <Panel title={t("floor.makeHappen")} foot={t("floor.makeHappenAbout")}>
      <div className={`${panelCss["body"]} ${css["happen"]}`}>
        <SelectField<SimulatedEvent>
          label={t("floor.event")}
          value={what}
          onChange={setWhat}
          choices={SIMULATED_EVENTS.map((event) => [event, t(`floor.event_${event}`)])}
        />
        <Key kind="line" busy={busy} disabled={!online} onClick={() => void send()}>
          {t("floor.makeNow")}
        </Key>
      </div>
    </Panel>
  );
}
