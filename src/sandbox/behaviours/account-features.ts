import type { Scalar } from '../../schema/field.ts';
import type { Values } from '../../schema/resource.ts';
import type { Behaviour } from './behaviour.ts';
import { updateRecord } from './records.ts';

/**
 * The attributes that depend on each feature, with the values that they get when the feature is switched on. They are null while the
 * feature is off.
 */
const DEPENDENT: Readonly<Record<string, Values>> = {
  enablecustommaildomain: { custommaildomaintype: 'fixed_email', maildomainprimary: null },
  enablesendbulkemail: { enablesplittest: false },
  enablesubscriberprofilefields: { subscriberprofilefield_limit: null },
  enablesms: { enablesubscriptionmo: true },
};

export const accountFeatures: Behaviour = {
  // Interface, accountFeatures: attributes of a feature are null while it is off, and get their defaults when it is switched on again.
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
