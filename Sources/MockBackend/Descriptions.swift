package import AsyncLocation

// Descriptions of the test kit's values; see `Described`.

extension MockStep: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(kind)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MockScript: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("steps", steps),
      DescribedMember("restartsWithEachRun", restartsWithEachRun),
    ]
  }
}

extension MockAuthorization: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("whenInUse", whenInUse),
      DescribedMember("always", always),
      DescribedMember("fullAccuracy", fullAccuracy),
      DescribedMember("initialDecision", initialDecision),
    ]
  }
}

extension PositionNoise: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("seed", seed),
      DescribedMember("standardDeviation", standardDeviation, "m"),
    ]
  }
}

extension ReplayBackend.Repetition: CustomStringConvertible, CustomReflectable {
  public var description: String {
    switch rounds {
    case nil: "forever"
    case 1: "once"
    case let rounds?: "\(rounds) times"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: []) }
}
