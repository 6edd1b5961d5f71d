import { egmConformance } from "../../ports/egm.conformance.ts";
import { trial } from "./trial.ts";

egmConformance("simulated machine", {
  make: () => trial(),
  makeWithHandPay: () => trial({ handPayFrom: 1 }),
});
