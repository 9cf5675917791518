import Testing

extension Tag {
  @Tag static var cancellation: Self
  @Tag static var ordering: Self
}
