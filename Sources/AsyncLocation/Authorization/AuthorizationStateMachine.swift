/// Decides the permission in force, the questions for the policy and the answers to callers. Pure:
/// no effects and no clock, so it can be printed and tested as a table.
///
/// The effective permission combines the ``decision`` with conditions that override it: location
/// services switched off for every client, a refusal by the source, an application out of use, and
/// temporary full accuracy. One question about permission and one about accuracy can be pending at
/// a time; callers with the same request share one question. Every request is answered. Every event
/// is valid in every state; a late answer is ignored.
package struct AuthorizationStateMachine: Sendable, Hashable {
  /// The events that the machine handles.
  package enum Event: Hashable, Sendable {
    /// A caller requested permission, or demand for locations requests it implicitly.
    case requested(AuthorizationRequest)
    /// The last caller that waited for this answer was cancelled.
    case withdrawn(AuthorizationRequest)
    /// The policy answered the pending question. An answer that declines always while when-in-use
    /// is granted keeps the grant and its accuracy.
    case answered(AuthorizationDecision)
    /// The policy reported a new decision without a request. Only this event revokes a lasting
    /// grant.
    case changed(AuthorizationDecision)
    /// Location services were switched off or on for every client.
    case locationServices(enabled: Bool)
    /// The source refuses access, for example because a socket cannot be opened. Nil revokes the
    /// refusal.
    case source(refusal: SourceRefusal?, problem: LocationError? = nil)
    /// The application came into use (true) or went out of use (false).
    case use(Bool)
    /// Demand became empty: the last stream of reports, location request or session ended.
    /// Permission for one use lapses.
    case demandEnded
    /// A caller requested full accuracy for a purpose.
    case requestedFullAccuracy(purposeKey: String)
    /// The last caller that waited for full accuracy for a purpose was cancelled.
    case withdrawnFullAccuracy(purposeKey: String)
    /// The policy answered the pending question about full accuracy.
    case answeredFullAccuracy(isGranted: Bool)
    /// Temporary full accuracy has expired.
    case fullAccuracyExpired
  }

  /// An action that the caller of the machine must perform.
  package enum Action: Hashable, Sendable {
    /// Request permission from the policy.
    case ask(AuthorizationRequest)
    /// Cancel the question; its answer is ignored.
    case cancelQuestion
    /// Answer all callers of this request with the current authorization.
    case answer(AuthorizationRequest)
    /// Request full accuracy from the policy.
    case askForFullAccuracy(purposeKey: String)
    /// Cancel the question about full accuracy; its answer is ignored.
    case cancelFullAccuracyQuestion
    /// Notify all callers that requested full accuracy for this purpose whether it is granted.
    case answerFullAccuracy(purposeKey: String, isGranted: Bool)
  }

  /// The pending question about permission.
  package enum Question: String, Hashable, Sendable, CaseIterable {
    /// A request for when-in-use.
    case whenInUse
    /// A request for when-in-use. After its answer, always is requested.
    case whenInUseThenAlways
    /// A request for always.
    case always
  }

  /// The kind of refusal by a source.
  package enum SourceRefusal: String, Hashable, Sendable, CaseIterable {
    case denied, restricted
  }

  /// The last decision of the policy.
  package internal(set) var decision = AuthorizationDecision.notDetermined
  /// The pending question about permission.
  package internal(set) var question: Question?
  /// False while location services are off for every client.
  package internal(set) var locationServicesEnabled = true
  /// The refusal by the source, if any.
  package internal(set) var sourceRefusal: SourceRefusal?
  /// The problem that the source reported before it refused access.
  var sourceProblem: LocationError?
  /// False while the application is out of use. When-in-use permission then delivers nothing.
  package internal(set) var isInUse = true
  /// True if a request for always resulted in when-in-use, or if when-in-use replaced provisional
  /// always. Always is then not requested again.
  package internal(set) var alwaysWasAsked = false
  /// The purpose of the temporary full accuracy in force.
  package internal(set) var fullAccuracyPurpose: String?
  /// The purposes for which full accuracy was requested. The first is pending; the others wait.
  package internal(set) var fullAccuracyQuestions: [String] = []

  /// Creates a machine without a decision.
  package init() {}

  // MARK: Current state

  /// The status that applications see.
  package var status: AuthorizationStatus {
    if !locationServicesEnabled { return .denied }
    let status = decision.permission.status
    guard status.refuses else { return sourceRefusal?.status ?? status }
    return status
  }

  /// The accuracy that applications see.
  package var accuracy: AccuracyAuthorization {
    fullAccuracyPurpose == nil ? decision.accuracy : .full
  }

  /// True when locations may be delivered now: permission is granted, and the application is in use
  /// or has permission always.
  package var permitsDelivery: Bool {
    status.isAuthorized && (isInUse || status == .authorizedAlways)
  }

  /// True while a pending question could replace `notDetermined`.
  package var isRequestInProgress: Bool { question != nil && status == .notDetermined }

  /// The complete authorization that applications see.
  package var authorization: Authorization {
    Authorization(
      status: status, accuracy: accuracy, locationServicesEnabled: locationServicesEnabled,
      reason: refusalOfSource?.message ?? decision.reason)
  }

  // MARK: Events

  /// Handles an event and returns the actions to perform, in this order.
  package mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .requested(let request): ask(for: request)
    case .withdrawn(let request): withdraw(request)
    case .answered(let decision): answer(decision)
    case .changed(let decision): change(to: decision)
    case .locationServices(let enabled): setLocationServices(enabled)
    case .source(let refusal, let problem): setSourceRefusal(refusal, problem)
    case .use(let isInUse): setInUse(isInUse)
    case .demandEnded: lapse()
    case .requestedFullAccuracy(let purpose): requestFullAccuracy(purpose)
    case .withdrawnFullAccuracy(let purpose): withdrawFullAccuracy(purpose)
    case .answeredFullAccuracy(let isGranted): answerFullAccuracy(isGranted)
    case .fullAccuracyExpired: expireFullAccuracy()
    }
  }
}
