import type { Scalar } from '../../schema/field.ts';
import type { Values } from '../../schema/resource.ts';
import type { Behaviour } from './behaviour.ts';
import { updateRecord } from './records.ts';

/** Feature → the attributes that hold a value only while it is on, with what they begin with. */
const DEPENDENT: Readonly<Record<string, Values>> = {
  enablecustommaildomain: { custommaildomaintype: 'fixed_email', maildomainprimary: null },
  enablesendbulkemail: { enablesplittest: false },
  enablesubscriberprofilefields: { subscriberprofilefield_limit: null },
  enablesms: { enablesubscriptionmo: true },
};

export const accountFeatures: Behaviour = {
  // Interface, accountFeatures: what depends on a feature is null while that is off, and has its default again after.
  adjust: (current, sent) => {
    const moved: Record<string, Scalar> = {};
    for (const [feature, dependents] of Object.entries(DEPENDENT)) {
      const isOn = sent[feature] ?? current[feature];
      if (sent[feature] === undefined || isOn === current[feature]) continue;
      for (const [attribute, initial] of Object.entries(dependents)) moved[attribute] = isOn ? initial : null;
    }
    return { ...moved, ...sent };
  },
  update: (call, current, values) => updateRecord(call, 'account', current, values),
};
