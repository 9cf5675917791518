public actor Monitor {}
