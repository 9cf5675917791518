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

extension AuthorizationExplanation: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("path", path),
      DescribedMember("client", client),
      DescribedMember("decision", decision),
      DescribedMember("locationServicesEnabled", locationServicesEnabled),
      DescribedMember("expires", expires),
      DescribedMember("purposes", purposes),
      DescribedMember("keyNotice", keyNotice),
      DescribedMember("error", error),
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
