/// How accuracy is raised for a purpose and a time.
extension AuthorizationStateMachine {
  mutating func requestFullAccuracy(_ purpose: String) -> [Action] {
    guard status.isAuthorized, accuracy == .reduced else {
      return [.answerFullAccuracy(purposeKey: purpose, isGranted: status.isAuthorized)]
    }
    guard !fullAccuracyQuestions.contains(purpose) else { return [] }
    fullAccuracyQuestions.append(purpose)
    return fullAccuracyQuestions.count == 1 ? [.askForFullAccuracy(purposeKey: purpose)] : []
  }

  mutating func withdrawFullAccuracy(_ purpose: String) -> [Action] {
    // The first is out already.
    if let index = fullAccuracyQuestions.lastIndex(of: purpose), index > 0 {
      fullAccuracyQuestions.remove(at: index)
    }
    return []
  }

  mutating func answerFullAccuracy(_ isGranted: Bool) -> [Action] {
    guard let purpose = fullAccuracyQuestions.first else { return [] }
    guard isGranted else {
      fullAccuracyQuestions.removeFirst()
      return [.answerFullAccuracy(purposeKey: purpose, isGranted: false)]
        + fullAccuracyQuestions.prefix(1).map { .askForFullAccuracy(purposeKey: $0) }
    }
    fullAccuracyPurpose = purpose
    defer { fullAccuracyQuestions = [] }
    return fullAccuracyQuestions.map { .answerFullAccuracy(purposeKey: $0, isGranted: true) }
  }

  mutating func expireFullAccuracy() -> [Action] {
    fullAccuracyPurpose = nil
    return []
  }

  /// Full accuracy for a time needs permission and ends with it; so do the questions for it. Where
  /// accuracy is full anyway there is nothing to ask.
  mutating func settleFullAccuracy() -> [Action] {
    guard !status.isAuthorized || decision.accuracy == .full else { return [] }
    fullAccuracyPurpose = nil
    guard !fullAccuracyQuestions.isEmpty else { return [] }
    let isGranted = status.isAuthorized
    defer { fullAccuracyQuestions = [] }
    return [.cancelFullAccuracyQuestion]
      + fullAccuracyQuestions.map { .answerFullAccuracy(purposeKey: $0, isGranted: isGranted) }
  }
}
