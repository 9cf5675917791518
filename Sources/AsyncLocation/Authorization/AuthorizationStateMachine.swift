/// Decides what holds, what is asked of the policy and who may hear the answer. Pure: it performs
/// nothing and knows no time, so that it can be read, printed and tested like a table.
///
/// What holds is a ``decision``, crossed with what stands above it: location services that may be
/// off for everybody, a source that refuses by itself, an application that may be out of use, and
/// full accuracy for a time. A question about permission and one about accuracy can be out; callers
/// of one kind share it. Every request is answered, every event has its meaning in every state: one
/// that comes late or twice changes nothing.
public struct AuthorizationStateMachine: Sendable, Hashable {
  /// What happened.
  public enum Event: Hashable, Sendable {
    /// Somebody asked, or wants locations and would have it asked.
    case requested(AuthorizationRequest)
    /// The last caller who waited for this answer left.
    case withdrawn(AuthorizationRequest)
    /// The policy answered the question that is out. Declining the step from while in use to always
    /// keeps while in use, with its accuracy.
    case answered(AuthorizationDecision)
    /// The policy decided anew of its own accord. This alone takes away what lasts.
    case changed(AuthorizationDecision)
    /// Location services were switched for everybody.
    case locationServices(enabled: Bool)
    /// The source refuses by itself, such as a socket that may not be opened, or no longer does.
    case source(refusal: SourceRefusal?)
    /// The application came into use or went out of it.
    case use(Bool)
    /// Demand became empty: the last stream of reports, call for a location or session ended. Permission
    /// for once lapses.
    case demandEnded
    /// Somebody asked for full accuracy for a purpose.
    case requestedFullAccuracy(purposeKey: String)
    /// The last caller who waited for full accuracy for a purpose left.
    case withdrawnFullAccuracy(purposeKey: String)
    /// The policy answered the question for full accuracy that is out.
    case answeredFullAccuracy(isGranted: Bool)
    /// The time of full accuracy is over.
    case fullAccuracyExpired
  }

  /// What is to be done, in this order.
  public enum Action: Hashable, Sendable {
    /// Ask the policy.
    case ask(AuthorizationRequest)
    /// Take the question back; its answer no longer counts.
    case cancelQuestion
    /// Tell all who wait for this what holds now.
    case answer(AuthorizationRequest)
    /// Ask the policy for full accuracy.
    case askForFullAccuracy(purposeKey: String)
    /// Take the question for full accuracy back; its answer no longer counts.
    case cancelFullAccuracyQuestion
    /// Tell all who wait for full accuracy for this purpose whether they have it.
    case answerFullAccuracy(purposeKey: String, isGranted: Bool)
  }

  /// The question about permission that is out.
  public enum Question: String, Hashable, Sendable, CaseIterable {
    /// While in use.
    case whenInUse
    /// While in use; always is to be asked next.
    case whenInUseThenAlways
    /// Always.
    case always
  }

  /// How a source refuses by itself.
  public enum SourceRefusal: String, Hashable, Sendable, CaseIterable {
    case denied, restricted
  }

  /// What the policy decided last.
  public internal(set) var decision = AuthorizationDecision.notDetermined
  /// The question about permission that is out.
  public internal(set) var question: Question?
  /// False while location services are off for everybody.
  public internal(set) var locationServicesEnabled = true
  /// How the source refuses by itself, if it does.
  public internal(set) var sourceRefusal: SourceRefusal?
  /// False while the application is out of use: permission for while in use then delivers nothing.
  public internal(set) var isInUse = true
  /// Whether always was asked on top of while in use; declining it is an answer for good.
  public internal(set) var alwaysWasAsked = false
  /// The purpose for which accuracy is full for a time.
  public internal(set) var fullAccuracyPurpose: String?
  /// The purposes for which full accuracy was asked, the first being out and the others waiting.
  public internal(set) var fullAccuracyQuestions: [String] = []

  /// A machine that has decided nothing.
  public init() {}

  // MARK: What holds

  /// The status that applications see.
  public var status: AuthorizationStatus {
    if !locationServicesEnabled { return .denied }
    let status = decision.permission.status
    guard status.refuses else { return sourceRefusal?.status ?? status }
    return status
  }

  /// The accuracy that applications see.
  public var accuracy: AccuracyAuthorization {
    fullAccuracyPurpose == nil ? decision.accuracy : .full
  }

  /// True when locations may be delivered now: they are authorized, and the application is in use
  /// or needs not be.
  public var permitsDelivery: Bool {
    status.isAuthorized && (isInUse || status == .authorizedAlways)
  }

  /// True while a question is out that could turn "not determined" into an answer.
  public var isRequestInProgress: Bool { question != nil && status == .notDetermined }

  /// All of it, as applications see it.
  public var authorization: Authorization {
    Authorization(
      status: status, accuracy: accuracy, locationServicesEnabled: locationServicesEnabled,
      reason: decision.reason)
  }

  // MARK: Events

  /// Takes an event in; what is to be done about it comes out.
  public mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .requested(let request): ask(for: request)
    case .withdrawn(let request): withdraw(request)
    case .answered(let decision): answer(decision)
    case .changed(let decision): change(to: decision)
    case .locationServices(let enabled): setLocationServices(enabled)
    case .source(let refusal): setSourceRefusal(refusal)
    case .use(let isInUse): setInUse(isInUse)
    case .demandEnded: lapse()
    case .requestedFullAccuracy(let purpose): requestFullAccuracy(purpose)
    case .withdrawnFullAccuracy(let purpose): withdrawFullAccuracy(purpose)
    case .answeredFullAccuracy(let isGranted): answerFullAccuracy(isGranted)
    case .fullAccuracyExpired: expireFullAccuracy()
    }
  }
}
