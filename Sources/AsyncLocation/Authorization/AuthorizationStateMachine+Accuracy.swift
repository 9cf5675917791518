/// Temporary full accuracy for a purpose.
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
    // The first purpose stays, because its question was already sent to the policy.
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
    // Accuracy is now full for every purpose, so the waiting requests are granted too.
    defer { fullAccuracyQuestions = [] }
    return fullAccuracyQuestions.map { .answerFullAccuracy(purposeKey: $0, isGranted: true) }
  }

  mutating func expireFullAccuracy() -> [Action] {
    fullAccuracyPurpose = nil
    return []
  }

  /// Ends temporary full accuracy and its questions when permission is lost or when the decision
  /// grants full accuracy.
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
