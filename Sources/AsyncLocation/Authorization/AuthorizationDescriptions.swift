// The printed form of the authorization types; see ``Described``.

extension Authorization: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("status", status),
      DescribedMember("accuracy", accuracy),
      DescribedMember("locationServicesEnabled", locationServicesEnabled),
      DescribedMember("reason", reason),
    ]
  }
}

extension AuthorizationDecision: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("permission", permission),
      DescribedMember("accuracy", accuracy),
      DescribedMember("reason", reason),
    ]
  }
}

extension AuthorizationStateMachine: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("decision", decision),
      DescribedMember("question", question),
      DescribedMember("locationServicesEnabled", locationServicesEnabled),
      DescribedMember("sourceRefusal", sourceRefusal),
      DescribedMember("isInUse", isInUse),
      DescribedMember("alwaysWasAsked", alwaysWasAsked),
      DescribedMember("fullAccuracyPurpose", fullAccuracyPurpose),
      DescribedMember("fullAccuracyQuestions", fullAccuracyQuestions),
    ]
  }
}
